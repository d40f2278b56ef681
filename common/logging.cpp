#include "common/logging.h"

#include <fmt/format.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/systemd_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/suggest.h"

namespace fulcrum {

namespace {

const std::vector<std::string> kLevels{"trace", "debug", "info", "warn", "error"};

// systemd.exec(5): JOURNAL_STREAM is the device and inode of the journal's stream, "8:1234". It is inherited
// by children whose stderr may have gone elsewhere, so it is compared with the real one.
bool stderr_is_the_journal() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat info {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &info) != 0) return false;
  return fmt::format("{}:{}", info.st_dev, info.st_ino) == stream;
}

spdlog::sink_ptr make_sink() {
  // The journal stamps time, priority and name itself.
  if (stderr_is_the_journal()) return std::make_shared<spdlog::sinks::systemd_sink_mt>();
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %n %^%l%$ %v");
  return sink;
}

}  // namespace

Expected<Logger> make_logger(const std::string& name, const std::string& level) {
  if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
    return fail(ErrorCode::invalid_argument, "unknown log level '" + level + "'",
                did_you_mean(level, kLevels));
  }
  auto logger = std::make_shared<spdlog::logger>(name, make_sink());
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  return logger;
}

Logger make_null_logger() {
  return std::make_shared<spdlog::logger>("null", std::make_shared<spdlog::sinks::null_sink_mt>());
}

}  // namespace fulcrum

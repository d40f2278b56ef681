#include "worker/memory_meter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "common/durable_file.h"
#include "common/unique_fd.h"

namespace fulcrum::worker {

namespace {

constexpr std::size_t kMostText = 1 << 16;

// "Key:   123 kB", in bytes.
Expected<std::int64_t> kilobytes_of(const std::string& text, std::string_view key) {
  const auto at = text.find(key);
  std::string_view rest = at == std::string::npos ? "" : std::string_view(text).substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::int64_t kilobytes = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), kilobytes);
  if (error != std::errc() || kilobytes < 0)
    return fail(ErrorCode::corrupt, fmt::format("the kernel tells no '{}'", key));
  return kilobytes * 1024;
}

}  // namespace

Expected<MemoryReading> parse_memory(const std::string& status, const std::string& meminfo) {
  FULCRUM_TRY_ASSIGN(resident, kilobytes_of(status, "VmRSS:"));
  FULCRUM_TRY_ASSIGN(peak, kilobytes_of(status, "VmHWM:"));
  FULCRUM_TRY_ASSIGN(available, kilobytes_of(meminfo, "MemAvailable:"));
  return MemoryReading{resident, peak, available};
}

Expected<MemoryReading> read_memory() {
  FULCRUM_TRY_ASSIGN(status, read_file("/proc/self/status", kMostText));
  FULCRUM_TRY_ASSIGN(meminfo, read_file("/proc/meminfo", kMostText));
  return parse_memory(status, meminfo);
}

// Where the kernel refuses, peaks are those since the process began, and a job is taken for larger than it
// is.
void reset_memory_peak() {
  const UniqueFd fd(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kResetPeak = "5";
  if (fd.valid() && ::write(fd.get(), kResetPeak.data(), kResetPeak.size()) < 0) return;
}

void MemoryMeter::begin(const MemoryReading& now) {
  begun_ = now;
}

void MemoryMeter::loaded(const MemoryReading& now) {
  loaded_ = std::max<std::int64_t>(now.resident_bytes - begun_.resident_bytes, 0);
  note(loaded_);
  if (of_machine_) note(begun_.available_bytes - now.available_bytes);
}

void MemoryMeter::step(const MemoryReading& before, const MemoryReading& after) {
  if (resident_at_first_step_ < 0) resident_at_first_step_ = before.resident_bytes;
  note(loaded_ + after.peak_bytes - resident_at_first_step_);
  if (of_machine_) note(begun_.available_bytes - after.available_bytes);
}

void MemoryMeter::note(std::int64_t bytes) {
  peak_ = std::max(peak_, bytes);
}

}  // namespace fulcrum::worker

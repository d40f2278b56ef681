#include "daemon/memory_admission.h"

#include <fmt/format.h>

namespace fulcrum::daemon {

namespace {

std::string mib(std::int64_t bytes) {
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

Expected<void> MemoryAdmission::check_ever_fits(std::int64_t need_bytes, const BoardMemory& memory) const {
  if (need_bytes + headroom_ <= memory.total_bytes) return {};
  return fail(
      ErrorCode::limit_exceeded,
      fmt::format("the job needs {} of memory, as was measured before; the board has {}, of which {} "
                  "stay free",
                  mib(need_bytes), mib(memory.total_bytes), mib(headroom_)),
      "smaller batches or \"micro_batch_size\" need less; worker.memory_headroom_mb says what stays free");
}

std::optional<std::string> MemoryAdmission::why_it_waits(std::int64_t need_bytes, std::int64_t promised_bytes,
                                                         const BoardMemory& memory) const {
  const std::int64_t left = memory.available_bytes - promised_bytes - headroom_;
  if (need_bytes <= left) return std::nullopt;
  std::string text =
      fmt::format("memory: it needs {}, and {} are available", mib(need_bytes), mib(memory.available_bytes));
  if (promised_bytes > 0)
    text += fmt::format(", {} of them promised to jobs that are being loaded", mib(promised_bytes));
  return text + fmt::format("; {} stay free", mib(headroom_));
}

}  // namespace fulcrum::daemon

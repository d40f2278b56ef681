#pragma once
// Whether a job whose need of memory was measured before may be loaded. On a Jetson the GPU's memory is the
// board's.

#include <cstdint>
#include <optional>
#include <string>

#include "common/error.h"
#include "powermode/board.h"

namespace fulcrum::daemon {

class MemoryAdmission {
 public:
  explicit MemoryAdmission(std::int64_t headroom_bytes) : headroom_(headroom_bytes) {}

  // limit_exceeded, with the figures, for a job that would not fit if it were alone.
  [[nodiscard]] Expected<void> check_ever_fits(std::int64_t need_bytes, const BoardMemory& memory) const;

  // What it waits for, with the figures; none: it may be loaded. `promised_bytes`: needed by jobs that are
  // being loaded, and may not have taken it yet.
  std::optional<std::string> why_it_waits(std::int64_t need_bytes, std::int64_t promised_bytes,
                                          const BoardMemory& memory) const;

 private:
  std::int64_t headroom_;
};

}  // namespace fulcrum::daemon

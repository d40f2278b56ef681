#pragma once
// Running a program of the board's vendor to its end: it gets nothing to read, may say so much, and has so
// much time.

#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace fulcrum::powermode {

struct ForeignRun {
  int exit_status = 0;  // 128 + the signal that ended it
  std::string output;   // what it wrote to both outputs; at most kMostOutputBytes, the rest is dropped
};
inline constexpr std::size_t kMostOutputBytes = 256U << 10;

// argv[0] is a path. `timed_out`: it was killed with all that it had started. Waits; not for a thread that
// must not.
[[nodiscard]] Expected<ForeignRun> run_foreign_program(const std::vector<std::string>& argv,
                                                       Duration time_limit);

}  // namespace fulcrum::powermode

#include "common/clock.h"

namespace fulcrum {

namespace {
std::int64_t to_whole_ms(std::chrono::nanoseconds d) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}
}  // namespace

TimePoint SystemClock::now() const {
  return std::chrono::steady_clock::now();
}

std::int64_t SystemClock::wall_ms() const {
  return to_whole_ms(std::chrono::system_clock::now().time_since_epoch());
}

std::int64_t ManualClock::wall_ms() const {
  return to_whole_ms(now_.time_since_epoch());
}

}  // namespace fulcrum

#include "scheduler/arrival_process.h"

#include <fmt/format.h>

#include <cmath>

#include "common/finite.h"
#include "common/suggest.h"

namespace fulcrum::scheduler {

const std::vector<std::string>& ArrivalProcess::kinds() {
  static const std::vector<std::string> kinds{"periodic", "poisson"};
  return kinds;
}

Expected<ArrivalProcess> ArrivalProcess::make(const std::string& kind, double rate_hz, std::uint64_t seed) {
  if (!finite_and_positive(rate_hz)) {
    return fail(ErrorCode::invalid_argument, fmt::format("an arrival rate must be positive, is {}", rate_hz));
  }
  if (kind == "periodic") return ArrivalProcess(Kind::periodic, rate_hz, seed);
  if (kind == "poisson") return ArrivalProcess(Kind::poisson, rate_hz, seed);
  return fail(ErrorCode::invalid_argument, fmt::format("unknown arrival process '{}'", kind),
              did_you_mean(kind, kinds()));
}

// Intervals of a Poisson process are exponential; by inversion of its distribution, since the standard
// library's distributions differ between implementations.
double ArrivalProcess::next_interval_s() {
  constexpr double kTwoTo53 = 9007199254740992.0;
  const double uniform = static_cast<double>(random_() >> 11) / kTwoTo53;  // [0, 1)
  return -std::log1p(-uniform) / rate_hz_;
}

Duration ArrivalProcess::next() {
  ++count_;
  if (kind_ == Kind::periodic) {
    offset_s_ = static_cast<double>(count_) / rate_hz_;  // no sum of rounded intervals
  } else {
    offset_s_ += next_interval_s();
  }
  return from_ms(offset_s_ * 1000.0);
}

void ArrivalProcess::skip(std::uint64_t arrivals) {
  if (kind_ == Kind::periodic) {
    count_ += arrivals;
    return;
  }
  for (std::uint64_t i = 0; i < arrivals; ++i)
    next();
}

}  // namespace fulcrum::scheduler

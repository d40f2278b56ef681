#include "profiler/own_power.h"

#include <fmt/format.h>

#include <algorithm>

namespace fulcrum::profiler {

namespace {
constexpr double kLeastOwnShare = 0.25;
}  // namespace

Expected<double> own_power_w(double mean_w, Duration interval, Duration own,
                             const std::vector<ForeignTime>& foreign, double idle_w) {
  const double own_share = to_s(own) / to_s(interval);
  if (!(own_share >= kLeastOwnShare)) {
    return fail(ErrorCode::unavailable,
                fmt::format("only {:.0f} % of the device's time was left for the steps", 100 * own_share));
  }
  double rest_w = mean_w;
  double idle_share = 1 - own_share;
  for (const auto& other : foreign) {
    const double share = to_s(other.time) / to_s(interval);
    rest_w -= share * other.power_w;
    idle_share -= share;
  }
  rest_w -= std::max(idle_share, 0.0) * idle_w;
  const double own_w = rest_w / own_share;
  if (!(own_w > 0)) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("a mean of {:.1f} W leaves no power for the steps beside what others draw", mean_w));
  }
  return own_w;
}

}  // namespace fulcrum::profiler

#pragma once
// What one workload draws, out of the mean over a time in which others used the device as well: probes are
// taken while requests are being answered.

#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace fulcrum::profiler {

struct ForeignTime {
  Duration time{};     // of the device, inside the interval
  double power_w = 0;  // of the board meanwhile, known from its own profile
};

// The mean is made up of parts in proportion to their time: own, foreign, and the rest, in which the device
// was idle and the board drew idle_w. An idle_w that is too low makes the answer too high, which is the safe
// side of a power budget. unavailable: less than a quarter of the interval was own, or the parts do not add
// up to a power above 0.
[[nodiscard]] Expected<double> own_power_w(double mean_w, Duration interval, Duration own,
                                           const std::vector<ForeignTime>& foreign, double idle_w);

}  // namespace fulcrum::profiler

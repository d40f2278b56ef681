#pragma once
// By how much one measurement of a workload is off, learned from those that were repeated.

#include <vector>

#include "profiler/measurement.h"

namespace fulcrum::profiler {

// Relative standard deviations between measurements of the same.
struct ObservedNoise {
  double time = 0;  // of p99
  double power = 0;
};

// Pooled over all keys that were measured more than once, with 3 % of time and 2 % of power as if ten
// repetitions had shown them. Measurements taken while others used the GPU do not count. Between .5 and 20 %.
ObservedNoise observed_noise(const std::vector<Measurement>& measurements);

}  // namespace fulcrum::profiler

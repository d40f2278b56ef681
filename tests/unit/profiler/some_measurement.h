#pragma once
// A measurement as a probe could have found it, for tests to vary.

#include "profiler/measurement.h"

namespace fulcrum::profiler::test {

inline Measurement some_measurement() {
  Measurement m;
  m.key = {"agx-orin", "0123456789abcdef", WorkloadTask::training, {8, 1728000, 624750000, 3199000000}, 16};
  m.minibatches = 40;
  m.time = {10.25, 12.5, 10.5, 0.75};
  m.power_w = 23.125;
  m.temperature_c = 51.5;
  m.measured_at_ms = 1700000000000;
  m.cost_s = 2.375;
  return m;
}

}  // namespace fulcrum::profiler::test

#pragma once
// All measurements of one key, pooled into what planning rests on.

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/measurement.h"

namespace fulcrum::profiler {

struct Profile {
  MeasurementKey key;
  int measurements = 0;          // how many were pooled
  std::int64_t minibatches = 0;  // steps in all of them
  TimeStatistics time;
  double power_w = 0;
  std::optional<double> temperature_c;
  std::optional<double> foreign_gpu_load;  // others used the GPU meanwhile; the most
  std::int64_t measured_at_ms = 0;         // the newest
  double cost_s = 0;                       // of those that count

  // As Measurement::to_json, and "measurements".
  Json to_json() const;
};

// Measurements taken while other programs used the GPU count only where there are no others. p50, p99, power
// and temperature are the medians of the measurements' own, so that one measurement that went wrong unseen
// does not move them far; the order of p50 and p99 survives that. Mean and standard deviation are those of
// all steps together, exactly: they follow from the parts'. `measurements` has at least one, and all are of
// one key.
Profile pool(const std::vector<Measurement>& measurements);

// One profile for each key, in the order of keys.
std::vector<Profile> pool_by_key(std::vector<Measurement> measurements);

}  // namespace fulcrum::profiler

#pragma once
// How long the steps of a workload took, in four numbers.

#include <vector>

namespace fulcrum::profiler {

struct TimeStatistics {
  double p50_ms = 0;  // percentiles are nearest ranks: the smallest time that so many percent do not exceed
  double p99_ms = 0;
  double mean_ms = 0;
  double stddev_ms = 0;  // of the population that the steps are a sample of (n - 1); 0 for one step
};

// Of at least one step.
TimeStatistics summarize(std::vector<double> step_times_ms);

// The middle value; of an even number the mean of the two in the middle. Of at least one.
double median(std::vector<double> values);

}  // namespace fulcrum::profiler

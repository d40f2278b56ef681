#include "profiler/time_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace fulcrum::profiler {

namespace {

double nearest_rank(const std::vector<double>& ascending, double percent) {
  const auto rank = std::ceil(percent / 100 * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(rank) - 1];
}

}  // namespace

TimeStatistics summarize(std::vector<double> step_times_ms) {
  std::sort(step_times_ms.begin(), step_times_ms.end());
  const auto n = static_cast<double>(step_times_ms.size());

  TimeStatistics time;
  time.p50_ms = nearest_rank(step_times_ms, 50);
  time.p99_ms = nearest_rank(step_times_ms, 99);
  time.mean_ms = std::accumulate(step_times_ms.begin(), step_times_ms.end(), 0.0) / n;
  if (step_times_ms.size() > 1) {
    double squares = 0;
    for (const double ms : step_times_ms)
      squares += (ms - time.mean_ms) * (ms - time.mean_ms);
    time.stddev_ms = std::sqrt(squares / (n - 1));
  }
  return time;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

}  // namespace fulcrum::profiler

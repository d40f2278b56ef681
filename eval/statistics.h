#pragma once
// Of numbers; 0 for none.

#include <algorithm>
#include <numeric>
#include <vector>

namespace fulcrum::eval {

inline double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// part: 0 ... 1, interpolated between neighbours.
inline double quantile_of(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

inline double median_of(std::vector<double> values) {
  return quantile_of(std::move(values), 0.5);
}

}  // namespace fulcrum::eval

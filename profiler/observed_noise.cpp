#include "profiler/observed_noise.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fulcrum::profiler {

namespace {

constexpr ObservedNoise kExpected{.03, .02};
constexpr double kExpectedWeight = 10;
constexpr double kLeast = .005;
constexpr double kMost = .2;

// Squared relative deviations from the mean, and their degrees of freedom.
class Spread {
 public:
  void add(const std::vector<double>& repeated) {
    if (repeated.size() < 2) return;
    double mean = 0;
    for (const double value : repeated)
      mean += value / static_cast<double>(repeated.size());
    for (const double value : repeated)
      squares_ += (value / mean - 1) * (value / mean - 1);
    freedom_ += static_cast<double>(repeated.size() - 1);
  }

  double deviation(double expected) const {
    const double variance = (squares_ + kExpectedWeight * expected * expected) / (freedom_ + kExpectedWeight);
    return std::clamp(std::sqrt(variance), kLeast, kMost);
  }

 private:
  double squares_ = 0;
  double freedom_ = 0;
};

}  // namespace

ObservedNoise observed_noise(const std::vector<Measurement>& measurements) {
  struct Values {
    std::vector<double> time, power;
  };
  std::map<MeasurementKey, Values> by_key;
  for (const auto& m : measurements) {
    if (m.foreign_gpu_load) continue;
    auto& values = by_key[m.key];
    values.time.push_back(m.time.p99_ms);
    values.power.push_back(m.power_w);
  }
  Spread time, power;
  for (const auto& [key, values] : by_key) {
    time.add(values.time);
    power.add(values.power);
  }
  return {time.deviation(kExpected.time), power.deviation(kExpected.power)};
}

}  // namespace fulcrum::profiler

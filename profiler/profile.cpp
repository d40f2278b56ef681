#include "profiler/profile.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace fulcrum::profiler {

namespace {

template <class Get>
double median_of(const std::vector<Measurement>& measurements, Get get) {
  std::vector<double> values;
  values.reserve(measurements.size());
  for (const auto& measurement : measurements)
    values.push_back(get(measurement));
  return median(std::move(values));
}

std::optional<double> median_temperature(const std::vector<Measurement>& measurements) {
  std::vector<double> known;
  for (const auto& measurement : measurements) {
    if (measurement.temperature_c) known.push_back(*measurement.temperature_c);
  }
  if (known.empty()) return std::nullopt;
  return median(std::move(known));
}

std::vector<Measurement> undisturbed(const std::vector<Measurement>& measurements) {
  std::vector<Measurement> clean;
  std::copy_if(measurements.begin(), measurements.end(), std::back_inserter(clean),
               [](const Measurement& measurement) { return !measurement.foreign_gpu_load; });
  return clean.empty() ? measurements : clean;
}

double mean_of_all_steps(const std::vector<Measurement>& measurements, double steps) {
  double sum_ms = 0;
  for (const auto& part : measurements)
    sum_ms += part.minibatches * part.time.mean_ms;
  return sum_ms / steps;
}

// The squares within the parts and between them.
double stddev_of_all_steps(const std::vector<Measurement>& measurements, double steps, double mean_ms) {
  if (steps < 2) return 0;
  double squares = 0;
  for (const auto& part : measurements) {
    const double off_ms = part.time.mean_ms - mean_ms;
    squares += (part.minibatches - 1) * part.time.stddev_ms * part.time.stddev_ms +
               part.minibatches * off_ms * off_ms;
  }
  return std::sqrt(squares / (steps - 1));
}

}  // namespace

Json Profile::to_json() const {
  Json json = key.to_json();
  json["measurements"] = measurements;
  json["minibatches"] = minibatches;
  json["time_ms"] = profiler::to_json(time);
  json["power_w"] = power_w;
  if (temperature_c) json["temperature_c"] = *temperature_c;
  if (foreign_gpu_load) json["foreign_gpu_load"] = *foreign_gpu_load;
  json["measured_at_ms"] = measured_at_ms;
  json["cost_s"] = cost_s;
  return json;
}

Profile pool(const std::vector<Measurement>& all) {
  const auto measurements = undisturbed(all);
  Profile profile;
  profile.key = measurements.front().key;
  profile.measurements = static_cast<int>(measurements.size());
  for (const auto& part : measurements) {
    profile.minibatches += part.minibatches;
    profile.measured_at_ms = std::max(profile.measured_at_ms, part.measured_at_ms);
    profile.cost_s += part.cost_s;
    if (part.foreign_gpu_load)
      profile.foreign_gpu_load = std::max(profile.foreign_gpu_load.value_or(0), *part.foreign_gpu_load);
  }
  const auto steps = static_cast<double>(profile.minibatches);
  profile.time.p50_ms = median_of(measurements, [](const Measurement& m) { return m.time.p50_ms; });
  profile.time.p99_ms = median_of(measurements, [](const Measurement& m) { return m.time.p99_ms; });
  profile.time.mean_ms = mean_of_all_steps(measurements, steps);
  profile.time.stddev_ms = stddev_of_all_steps(measurements, steps, profile.time.mean_ms);
  profile.power_w = median_of(measurements, [](const Measurement& m) { return m.power_w; });
  profile.temperature_c = median_temperature(measurements);
  return profile;
}

std::vector<Profile> pool_by_key(std::vector<Measurement> measurements) {
  std::map<MeasurementKey, std::vector<Measurement>> by_key;
  for (auto& measurement : measurements) {
    auto& same = by_key[measurement.key];
    same.push_back(std::move(measurement));
  }
  std::vector<Profile> profiles;
  profiles.reserve(by_key.size());
  for (const auto& [key, same] : by_key)
    profiles.push_back(pool(same));
  return profiles;
}

}  // namespace fulcrum::profiler

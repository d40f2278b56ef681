#include "profiler/power_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/finite.h"

namespace fulcrum::profiler {

void PowerReadings::add(double watts, TimePoint at) {
  if (!finite_and_positive(watts)) return add_missing(fmt::format("the sensor shows {} W", watts), at);
  readings_.push_back({watts, at});
}

void PowerReadings::add_missing(const std::string& why, TimePoint at) {
  missing_.push_back({why, at});
}

PowerReadings::Mean PowerReadings::mean_over(TimePoint from, TimePoint to, const Limits& limits) const {
  const auto readings = inside(from + limits.averaging_window, to);
  if (auto missing = find_missing(readings, from, to, limits)) {
    return {Mean::Fault::missing, *std::move(missing), 0};
  }
  const auto fewest = static_cast<std::size_t>(std::max(limits.fewest, 1));
  if (readings.size() < fewest || to <= from) {
    return {Mean::Fault::too_few,
            fmt::format("{} power readings fell into the {:.0f} ms that were measured, and {} are needed",
                        readings.size(), to_ms(to - from), fewest),
            0};
  }
  double joules = 0;
  TimePoint since = from;
  for (const auto& reading : readings) {
    joules += reading.watts * to_s(reading.at - since);
    since = reading.at;
  }
  joules += readings.back().watts * to_s(to - since);
  return {Mean::Fault::none, {}, joules / to_s(to - from)};
}

// Ascending; of several at one time the first.
std::vector<PowerReadings::Reading> PowerReadings::inside(TimePoint from, TimePoint to) const {
  std::vector<Reading> found;
  for (const auto& reading : readings_) {
    if (reading.at >= from && reading.at <= to) found.push_back(reading);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Reading& a, const Reading& b) { return a.at < b.at; });
  const auto same_time = [](const Reading& a, const Reading& b) { return a.at == b.at; };
  found.erase(std::unique(found.begin(), found.end(), same_time), found.end());
  return found;
}

std::optional<std::string> PowerReadings::find_missing(const std::vector<Reading>& inside, TimePoint from,
                                                       TimePoint to, const Limits& limits) const {
  for (const auto& missing : missing_) {
    if (missing.at >= from && missing.at <= to) return "the power could not be read: " + missing.why;
  }
  TimePoint since = from + limits.averaging_window;
  const auto too_long = [&](TimePoint until) { return until - since > limits.longest_gap; };
  for (const auto& reading : inside) {
    if (too_long(reading.at)) return fmt::format("no power reading for {:.0f} ms", to_ms(reading.at - since));
    since = reading.at;
  }
  if (too_long(to)) return fmt::format("no power reading for {:.0f} ms", to_ms(to - since));
  return std::nullopt;
}

}  // namespace fulcrum::profiler

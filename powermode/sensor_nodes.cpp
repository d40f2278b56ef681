#include "powermode/sensor_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "powermode/node_paths.h"
#include "powermode/node_text.h"

namespace fulcrum::powermode {

namespace {

using Kind = BoardDescription::PowerChip::Kind;

constexpr int kMostChannels = 8;
constexpr double kMilliVoltTimesMilliAmpere = 1e-6;
constexpr double kMicroWatt = 1e-6;
constexpr double kMilliWatt = 1e-3;

// Not connected, and not there.
bool is_rail(const std::string& label) {
  return !label.empty() && label != "NC";
}

// Channels 1 to 3 measure; the others are shunt voltages and sums (Documentation/hwmon/ina3221).
void add_hwmon(const FileTree& tree, const std::string& directory, std::vector<RailNodes>& rails) {
  for (int channel = 1; channel <= 3; ++channel) {
    const auto label = read_text(tree, fmt::format("{}/in{}_label", directory, channel));
    if (!label || !is_rail(*label)) continue;
    rails.push_back({*label,
                     {fmt::format("{}/in{}_input", directory, channel),
                      fmt::format("{}/curr{}_input", directory, channel)},
                     kMilliVoltTimesMilliAmpere});
  }
}

void add_hwmon_power(const FileTree& tree, const std::string& directory, std::vector<RailNodes>& rails) {
  for (int channel = 1; channel <= kMostChannels; ++channel) {
    const auto power = fmt::format("{}/power{}_input", directory, channel);
    if (!tree.exists(power)) return;
    auto label = read_text(tree, fmt::format("{}/power{}_label", directory, channel));
    if (!label) label = read_text(tree, fmt::format("{}/in{}_label", directory, channel));
    if (label && is_rail(*label)) rails.push_back({*label, {power}, kMicroWatt});
  }
}

void add_iio(const FileTree& tree, const std::string& directory, std::vector<RailNodes>& rails) {
  for (int channel = 0; channel < 3; ++channel) {
    const auto label = read_text(tree, fmt::format("{}/rail_name_{}", directory, channel));
    if (!label || !is_rail(*label)) continue;
    rails.push_back({*label, {fmt::format("{}/in_power{}_input", directory, channel)}, kMilliWatt});
  }
}

// A reading is the mean of one interval, and up to another one old.
Duration window_of(const FileTree& tree, const std::string& directory, Duration described) {
  const auto interval_ms = read_number(tree, directory + "/update_interval");
  constexpr std::int64_t kLongestMs = 60000;  // beyond, it is not milliseconds
  if (!interval_ms || *interval_ms <= 0 || *interval_ms > kLongestMs) return described;
  return from_ms(2 * static_cast<double>(*interval_ms));
}

std::vector<std::string> labels_of(const std::vector<RailNodes>& rails) {
  std::vector<std::string> labels;
  labels.reserve(rails.size());
  for (const auto& rail : rails)
    labels.push_back(rail.label);
  return labels;
}

// The rail of that name; `unavailable` unless there is one.
Expected<std::size_t> only_rail(const std::vector<RailNodes>& rails, const std::string& label) {
  const auto labels = labels_of(rails);
  const auto count = std::count(labels.begin(), labels.end(), label);
  if (count == 1)
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  return fail(ErrorCode::unavailable,
              fmt::format("expected one power rail '{}', found {} among '{}'", label, count,
                          fmt::join(labels, "', '")),
              "the board's power is the sum of its rails, so none may be missing");
}

Expected<std::vector<std::size_t>> total_of(const std::vector<RailNodes>& rails,
                                            const BoardDescription::Power& power) {
  for (const auto& label : power.input) {
    if (const auto rail = only_rail(rails, label)) return std::vector<std::size_t>{*rail};
  }
  std::vector<std::size_t> total;
  if (power.sum_of_all) {
    total.resize(rails.size());
    std::iota(total.begin(), total.end(), std::size_t{0});
    return total;
  }
  for (const auto& label : power.sum) {
    FULCRUM_TRY_ASSIGN(rail, only_rail(rails, label));
    total.push_back(rail);
  }
  if (!total.empty()) return total;
  return fail(ErrorCode::unavailable,
              fmt::format("the board's power rail '{}' is not among '{}'", fmt::join(power.input, "' or '"),
                          fmt::join(labels_of(rails), "', '")));
}

}  // namespace

Expected<PowerNodes> find_power(const FileTree& tree, const BoardDescription::Power& power) {
  PowerNodes nodes;
  std::vector<std::string> looked_at;
  for (const auto& chip : power.chips) {
    looked_at.push_back(chip.directory);
    for (const auto& directory : expand(tree, chip.directory)) {
      const auto before = nodes.rails.size();
      if (chip.kind == Kind::hwmon) add_hwmon(tree, directory, nodes.rails);
      if (chip.kind == Kind::hwmon_power) add_hwmon_power(tree, directory, nodes.rails);
      if (chip.kind == Kind::iio) add_iio(tree, directory, nodes.rails);
      if (nodes.rails.size() > before)
        nodes.averaging_window =
            std::max(nodes.averaging_window, window_of(tree, directory, power.averaging_window));
    }
  }
  if (nodes.rails.empty()) {
    return fail(ErrorCode::unavailable,
                fmt::format("this board has no power sensor: nothing at '{}'", fmt::join(looked_at, "', '")),
                "is the driver of the INA3221 loaded?");
  }
  FULCRUM_TRY_ASSIGN(total, total_of(nodes.rails, power));
  nodes.total = std::move(total);
  return nodes;
}

std::vector<std::string> find_temperatures(const FileTree& tree, const BoardDescription::Thermal& thermal) {
  std::vector<std::string> found;
  for (const auto& zone : expand(tree, thermal.directory + "/thermal_zone*")) {
    const auto type = read_text(tree, zone + "/type");
    if (!type) continue;  // gone since it was listed
    const auto& ignore = thermal.ignore;
    if (std::find(ignore.begin(), ignore.end(), *type) == ignore.end()) found.push_back(zone + "/temp");
  }
  return found;
}

std::vector<ThrottleNode> find_throttle_counters(const FileTree& tree,
                                                 const BoardDescription::Throttle& throttle) {
  std::vector<ThrottleNode> found;
  for (const auto& hwmon : expand(tree, throttle.hwmon)) {
    for (const auto& counter : throttle.counters) {
      std::string path = hwmon + "/" + counter.node;
      if (tree.exists(path)) found.push_back({std::move(path), counter.cause, counter.momentary});
    }
  }
  return found;
}

std::string find_gpu_load(const FileTree& tree, const std::string& gpu_device) {
  const auto path = gpu_device + "/load";
  return tree.exists(path) ? path : std::string();
}

}  // namespace fulcrum::powermode

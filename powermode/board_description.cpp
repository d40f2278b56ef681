#include "powermode/board_description.h"

#include <algorithm>
#include <cmath>

#include "powermode/yaml_fields.h"

namespace fulcrum {

namespace {

using powermode::as;
using powermode::check_keys;
using powermode::field;
using powermode::required;
using powermode::required_list;

std::string path_of(const YAML::Node& node, const char* key) {
  auto path = as<std::string>(node, key);
  if (path.size() < 2 || path.front() != '/' || path.back() == '/') {
    throw YAML::RepresentationException(node.Mark(), fmt::format("'{}' is not an absolute path", key));
  }
  return path;
}

std::string path_field(const YAML::Node& map, const char* key) {
  return path_of(required(map, key), key);
}

std::vector<std::string> path_list(const YAML::Node& map, const char* key) {
  std::vector<std::string> paths;
  for (const auto& entry : required_list(map, key))
    paths.push_back(path_of(entry, key));
  return paths;
}

std::vector<std::string> name_list(const YAML::Node& map, const char* key) {
  std::vector<std::string> names;
  for (const auto& entry : required_list(map, key)) {
    names.push_back(as<std::string>(entry, key));
    if (names.back().empty()) {
      throw YAML::RepresentationException(entry.Mark(), fmt::format("an empty name in '{}'", key));
    }
    if (std::count(names.begin(), names.end(), names.back()) > 1) {
      throw YAML::RepresentationException(entry.Mark(),
                                          fmt::format("'{}' appears twice in '{}'", names.back(), key));
    }
  }
  return names;
}

template <class T>
std::optional<T> cap_field(const YAML::Node& preset, const char* key) {
  const YAML::Node node = preset[key];
  if (!node.IsDefined()) return std::nullopt;
  const T cap = as<T>(node, key);
  if (cap < 1) throw YAML::RepresentationException(node.Mark(), fmt::format("'{}' is not positive", key));
  return cap;
}

void read_cpu(const YAML::Node& map, BoardDescription::Cpu& cpu) {
  check_keys(map, {"directory", "clusters"});
  if (map["directory"].IsDefined()) cpu.directory = path_field(map, "directory");
  if (map["clusters"].IsDefined()) cpu.clusters = powermode::clusters_field(map, "clusters");
}

void read_gpu(const YAML::Node& map, BoardDescription::Gpu& gpu) {
  check_keys(map, {"of_names", "devfreq"});
  if (map["of_names"].IsDefined()) gpu.of_names = name_list(map, "of_names");
  if (map["devfreq"].IsDefined()) gpu.devfreq = path_list(map, "devfreq");
}

BoardDescription::EmcCap read_emc_cap(const YAML::Node& map) {
  check_keys(map, {"path", "effective"});
  return {path_field(map, "path"), map["effective"].IsDefined() && field<bool>(map, "effective")};
}

BoardDescription::EmcClock read_emc_clock(const YAML::Node& map) {
  check_keys(map, {"lock", "enable", "rate", "set_rate", "rates_khz", "lowest", "highest"});
  BoardDescription::EmcClock clock;
  clock.lock = path_field(map, "lock");
  if (map["enable"].IsDefined()) clock.enable = path_list(map, "enable");
  clock.rate = path_field(map, "rate");
  clock.set_rate = path_field(map, "set_rate");
  if (map["rates_khz"].IsDefined()) {
    clock.rates_khz = path_field(map, "rates_khz");
  } else {
    clock.lowest = path_field(map, "lowest");
    clock.highest = path_field(map, "highest");
  }
  return clock;
}

void read_emc(const YAML::Node& map, BoardDescription::Emc& emc) {
  check_keys(map, {"caps", "clocks", "highest", "assumed_hz"});
  if (const auto hz = cap_field<std::int64_t>(map, "assumed_hz")) emc.assumed_hz = *hz;
  if (!map["caps"].IsDefined() && !map["clocks"].IsDefined()) return;
  emc.caps.clear();
  emc.clocks.clear();
  emc.highest.clear();
  for (const auto& entry : required_list(map, "caps"))
    emc.caps.push_back(read_emc_cap(entry));
  for (const auto& entry : required_list(map, "clocks"))
    emc.clocks.push_back(read_emc_clock(entry));
  if (map["highest"].IsDefined()) emc.highest = path_list(map, "highest");
}

BoardDescription::PowerChip read_chip(const YAML::Node& map) {
  using Kind = BoardDescription::PowerChip::Kind;
  check_keys(map, {"kind", "directory"});
  const auto name = field<std::string>(map, "kind");
  for (const auto& [known, kind] :
       {std::pair("hwmon", Kind::hwmon), {"hwmon_power", Kind::hwmon_power}, {"iio", Kind::iio}}) {
    if (name == known) return {kind, path_field(map, "directory")};
  }
  throw YAML::RepresentationException(map["kind"].Mark(),
                                      fmt::format("'{}' is none of hwmon, hwmon_power and iio", name));
}

void read_usual_power(const YAML::Node& range, BoardDescription::Power& power) {
  const auto watts = as<std::vector<double>>(range, "usual_w");
  // Written so that it refuses NaN as well.
  if (watts.size() != 2 || !(watts[0] > 0 && watts[0] < watts[1] && std::isfinite(watts[1])))
    throw YAML::RepresentationException(range.Mark(), "'usual_w' is not two powers, the lower one first");
  power.idle_w = watts[0];
  power.most_w = watts[1];
}

void read_power(const YAML::Node& map, BoardDescription::Power& power) {
  check_keys(map, {"chips", "input", "sum", "averaging_window_ms", "usual_w"});
  if (map["usual_w"].IsDefined()) read_usual_power(map["usual_w"], power);
  if (map["chips"].IsDefined()) {
    power.chips.clear();
    for (const auto& entry : required_list(map, "chips"))
      power.chips.push_back(read_chip(entry));
  }
  if (map["input"].IsDefined() || map["sum"].IsDefined()) {
    power.input = map["input"].IsDefined() ? name_list(map, "input") : std::vector<std::string>();
    power.sum_of_all = map["sum"].IsDefined() && map["sum"].IsScalar() && map["sum"].Scalar() == "all";
    power.sum =
        map["sum"].IsDefined() && !power.sum_of_all ? name_list(map, "sum") : std::vector<std::string>();
  }
  if (map["averaging_window_ms"].IsDefined())
    power.averaging_window = powermode::window_field(map, "averaging_window_ms");
}

void read_thermal(const YAML::Node& map, BoardDescription::Thermal& thermal) {
  check_keys(map, {"directory", "ignore"});
  thermal = {path_field(map, "directory"), {}};
  if (map["ignore"].IsDefined()) thermal.ignore = name_list(map, "ignore");
}

// By the name of the node; each names one in the same directory.
void read_throttle(const YAML::Node& map, BoardDescription::Throttle& throttle) {
  check_keys(map, {"hwmon", "counters", "momentary"});
  if (map["hwmon"].IsDefined()) throttle.hwmon = path_field(map, "hwmon");
  throttle.counters.clear();
  const auto counters = required(map, "counters");
  if (!counters.IsMap() || counters.size() == 0)
    throw YAML::RepresentationException(counters.Mark(), "'counters' is not a mapping of nodes to causes");
  for (const auto& entry : counters) {
    auto node = as<std::string>(entry.first, "counters");
    if (node.empty() || node.find('/') != std::string::npos) {
      throw YAML::RepresentationException(entry.first.Mark(),
                                          fmt::format("'{}' in 'counters' names no node", node));
    }
    const auto& known = throttle.counters;
    if (std::any_of(known.begin(), known.end(), [&](const auto& other) { return other.node == node; }))
      throw YAML::RepresentationException(entry.first.Mark(), fmt::format("'{}' appears twice", node));
    throttle.counters.push_back({std::move(node), as<std::string>(entry.second, "counters"), false});
  }
  if (!map["momentary"].IsDefined()) return;
  const auto momentary = name_list(map, "momentary");
  for (auto& counter : throttle.counters)
    counter.momentary = std::find(momentary.begin(), momentary.end(), counter.node) != momentary.end();
}

BoardDescription::Preset read_preset(const YAML::Node& map) {
  check_keys(map, {"name", "cpu_cores", "cpu_khz", "gpu_hz", "emc_hz"});
  return {field<std::string>(map, "name"), cap_field<int>(map, "cpu_cores"),
          cap_field<std::int64_t>(map, "cpu_khz"), cap_field<std::int64_t>(map, "gpu_hz"),
          cap_field<std::int64_t>(map, "emc_hz")};
}

std::vector<BoardDescription::Preset> read_presets(const YAML::Node& map) {
  std::vector<BoardDescription::Preset> presets;
  if (!map["presets"].IsDefined()) return presets;
  for (const auto& entry : required_list(map, "presets")) {
    auto preset = read_preset(entry);
    if (std::any_of(presets.begin(), presets.end(),
                    [&](const auto& other) { return other.name == preset.name; })) {
      throw YAML::RepresentationException(entry.Mark(),
                                          fmt::format("preset '{}' appears twice", preset.name));
    }
    presets.push_back(std::move(preset));
  }
  return presets;
}

BoardDescription read_description(const YAML::Node& map, const BoardDescription& base) {
  check_keys(map, {"id", "name", "matches", "read_only", "cpu", "gpu", "emc", "power", "thermal", "throttle",
                   "presets"});
  BoardDescription description = base;
  description.id = field<std::string>(map, "id");
  description.name = field<std::string>(map, "name");
  description.matches = name_list(map, "matches");
  if (map["read_only"].IsDefined()) description.read_only = field<std::string>(map, "read_only");
  if (map["cpu"].IsDefined()) read_cpu(map["cpu"], description.cpu);
  if (map["gpu"].IsDefined()) read_gpu(map["gpu"], description.gpu);
  if (map["emc"].IsDefined()) read_emc(map["emc"], description.emc);
  if (map["power"].IsDefined()) read_power(map["power"], description.power);
  if (map["thermal"].IsDefined()) read_thermal(map["thermal"], description.thermal);
  if (map["throttle"].IsDefined()) read_throttle(map["throttle"], description.throttle);
  description.presets = read_presets(map);
  return description;
}

// What discovery cannot do without.
void check_whole(const YAML::Node& map, const BoardDescription& description) {
  const auto need = [&map](bool there, const char* what) {
    if (!there) throw YAML::RepresentationException(map.Mark(), fmt::format("'{}' is missing", what));
  };
  need(!description.cpu.directory.empty(), "cpu.directory");
  need(!description.gpu.of_names.empty(), "gpu.of_names");
  need(!description.gpu.devfreq.empty(), "gpu.devfreq");
  need(!description.emc.clocks.empty(), "emc");
  const auto& power = description.power;
  need(!power.chips.empty(), "power.chips");
  need(!power.input.empty() || !power.sum.empty() || power.sum_of_all, "power.input or power.sum");
  need(power.averaging_window > Duration::zero(), "power.averaging_window_ms");
  need(power.most_w > 0, "power.usual_w");
}

}  // namespace

Expected<BoardDescription> parse_board_description(std::string_view yaml, const std::string& source,
                                                   const BoardDescription& base) {
  return powermode::parse_yaml<BoardDescription>(yaml, source, [&base](const YAML::Node& map) {
    auto description = read_description(map, base);
    check_whole(map, description);
    return description;
  });
}

}  // namespace fulcrum

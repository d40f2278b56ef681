#include "powermode/simulated_hardware.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/suggest.h"
#include "powermode/embedded_text.h"
#include "powermode/yaml_fields.h"

namespace fulcrum::powermode {

namespace {

using Hardware = SimulatedHardware;

[[noreturn]] void refuse(const YAML::Node& node, const std::string& why) {
  throw YAML::RepresentationException(node.Mark(), why);
}

template <class T>
void read_optional(const YAML::Node& map, const char* key, std::optional<T>& value) {
  if (map[key].IsDefined()) value = field<T>(map, key);
}

template <class T>
void read_or_keep(const YAML::Node& map, const char* key, T& value) {
  if (map[key].IsDefined()) value = field<T>(map, key);
}

// One of a few names.
template <class T>
T choice_field(const YAML::Node& map, const char* key, const std::vector<std::pair<const char*, T>>& known) {
  const auto name = field<std::string>(map, key);
  std::vector<std::string> names;
  for (const auto& [known_name, value] : known) {
    if (name == known_name) return value;
    names.emplace_back(known_name);
  }
  refuse(map[key], fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
}

std::map<std::string, std::int64_t> masks_field(const YAML::Node& map) {
  std::map<std::string, std::int64_t> masks;
  if (!map["masks"].IsDefined()) return masks;
  check_keys(map["masks"], {"tpc_pg_mask", "fbp_pg_mask"});
  for (const auto& entry : map["masks"])
    masks[entry.first.as<std::string>()] = as<std::int64_t>(entry.second, "masks");
  return masks;
}

Hardware::Kernel read_kernel(const YAML::Node& map) {
  Hardware::Kernel kernel;
  kernel.release = field<std::string>(map, "kernel");
  if (std::sscanf(kernel.release.c_str(), "%d.%d", &kernel.major, &kernel.minor) !=
      2)  // NOLINT(cert-err34-c)
    refuse(map["kernel"], "'kernel' does not begin with a version");
  return kernel;
}

Hardware::Gpu read_gpu(const YAML::Node& map) {
  check_keys(map, {"device", "name", "of_name", "aliases", "devfreq_link", "load", "rail_gate", "masks",
                   "levels_hz"});
  Hardware::Gpu gpu;
  gpu.device = field<std::string>(map, "device");
  gpu.name = field<std::string>(map, "name");
  gpu.of_name = field<std::string>(map, "of_name");
  read_or_keep(map, "aliases", gpu.aliases);
  read_or_keep(map, "devfreq_link", gpu.devfreq_link);
  read_or_keep(map, "load", gpu.load);
  read_or_keep(map, "rail_gate", gpu.rail_gate);
  gpu.masks = masks_field(map);
  gpu.levels_hz = ascending_field(map, "levels_hz");
  return gpu;
}

Hardware::Emc read_emc(const YAML::Node& map) {
  using Style = Hardware::EmcStyle;
  check_keys(map, {"style", "levels_hz"});
  return {choice_field<Style>(map, "style",
                              {{"iso_cap", Style::iso_cap},
                               {"clk_cap", Style::clk_cap},
                               {"override", Style::override},
                               {"devfreq", Style::devfreq}}),
          ascending_field(map, "levels_hz")};
}

Hardware::Channel read_channel(const YAML::Node& map) {
  check_keys(map, {"label", "millivolts", "share"});
  Hardware::Channel channel{field<std::string>(map, "label"), field<std::int64_t>(map, "millivolts"),
                            field<double>(map, "share")};
  if (!(channel.share >= 0 && channel.share <= 1) || (channel.share > 0 && channel.millivolts < 1))
    refuse(map, "a channel that carries power carries a share of it, and needs a voltage");
  return channel;
}

Hardware::Chip read_chip(const YAML::Node& map) {
  using Driver = Hardware::ChipDriver;
  check_keys(map, {"driver", "address", "update_interval_ms", "channels"});
  Hardware::Chip chip;
  chip.driver = choice_field<Driver>(
      map, "driver",
      {{"ina3221", Driver::ina3221}, {"ina3221x", Driver::ina3221x}, {"ina238", Driver::ina238}});
  chip.address = field<std::string>(map, "address");
  read_optional(map, "update_interval_ms", chip.update_interval_ms);
  for (const auto& channel : required_list(map, "channels"))
    chip.channels.push_back(read_channel(channel));
  const std::size_t wanted = chip.driver == Driver::ina238 ? 1 : 3;
  if (chip.channels.size() != wanted) refuse(map, fmt::format("such a chip has {} channels", wanted));
  return chip;
}

void read_power(const YAML::Node& map, Hardware& hardware) {
  check_keys(map, {"window_ms", "age_ms", "chips"});
  hardware.sensor_window = window_field(map, "window_ms");
  hardware.sensor_age = window_field(map, "age_ms");
  for (const auto& entry : required_list(map, "chips"))
    hardware.chips.push_back(read_chip(entry));
}

void read_zones(const YAML::Node& map, Hardware& hardware) {
  auto& known = hardware.thermal_zones;
  for (const auto& entry : required_list(map, "thermal_zones")) {
    check_keys(entry, {"type", "millidegrees"});
    Hardware::ThermalZone zone{field<std::string>(entry, "type"), std::nullopt};
    read_optional(entry, "millidegrees", zone.millidegrees);
    if (std::any_of(known.begin(), known.end(), [&](const auto& other) { return other.type == zone.type; }))
      refuse(entry, fmt::format("thermal zone '{}' appears twice", zone.type));
    known.push_back(std::move(zone));
  }
}

Hardware::NvpmodelMode read_mode(const YAML::Node& map) {
  check_keys(map, {"id", "name", "cpus", "cpu_khz", "gpu_hz", "emc_hz", "masks"});
  Hardware::NvpmodelMode mode;
  mode.id = field<int>(map, "id");
  mode.name = field<std::string>(map, "name");
  read_optional(map, "cpus", mode.cpus);
  read_optional(map, "cpu_khz", mode.cpu_khz);
  read_optional(map, "gpu_hz", mode.gpu_hz);
  read_optional(map, "emc_hz", mode.emc_hz);
  mode.masks = masks_field(map);
  return mode;
}

Hardware::Nvpmodel read_nvpmodel(const YAML::Node& map) {
  check_keys(map, {"cpu_param", "per", "lists_core_0", "hwmon", "default", "modes"});
  Hardware::Nvpmodel nvpmodel;
  const auto names = required(map, "cpu_param");
  nvpmodel.cpu_params = names.IsScalar() ? std::vector<std::string>{as<std::string>(names, "cpu_param")}
                                         : as<std::vector<std::string>>(names, "cpu_param");
  if (nvpmodel.cpu_params.empty()) refuse(names, "'cpu_param' is empty");
  nvpmodel.per_core = choice_field<bool>(map, "per", {{"core", true}, {"cluster", false}});
  read_or_keep(map, "lists_core_0", nvpmodel.lists_core_0);
  read_or_keep(map, "hwmon", nvpmodel.hwmon_param);
  nvpmodel.default_id = field<int>(map, "default");
  for (const auto& mode : required_list(map, "modes"))
    nvpmodel.modes.push_back(read_mode(mode));
  return nvpmodel;
}

Hardware::Workloads read_workloads(const YAML::Node& map) {
  check_keys(map, {"of", "cpu", "gpu", "memory", "power"});
  Hardware::Workloads workloads;
  workloads.of = field<std::string>(map, "of");
  for (auto [key, factor] : {std::pair("cpu", &workloads.cpu),
                             {"gpu", &workloads.gpu},
                             {"memory", &workloads.memory},
                             {"power", &workloads.power}}) {
    read_or_keep(map, key, *factor);
    if (!(*factor > 0 && *factor <= 1000)) refuse(map, fmt::format("'{}' is not above 0", key));
  }
  return workloads;
}

Hardware read_hardware(const YAML::Node& map) {
  check_keys(map, {"board", "model", "compatible", "kernel", "release", "cpu", "gpu", "emc", "power",
                   "thermal_zones", "over_current", "nvpmodel", "workloads"});
  Hardware hardware;
  hardware.board = field<std::string>(map, "board");
  hardware.model = field<std::string>(map, "model");
  hardware.compatible = field<std::vector<std::string>>(map, "compatible");
  hardware.kernel = read_kernel(map);
  hardware.release = field<std::string>(map, "release");
  const auto cpu = required(map, "cpu");
  check_keys(cpu, {"clusters", "levels_khz"});
  hardware.cpu = {clusters_field(cpu, "clusters"), ascending_field(cpu, "levels_khz")};
  hardware.gpu = read_gpu(required(map, "gpu"));
  hardware.emc = read_emc(required(map, "emc"));
  read_power(required(map, "power"), hardware);
  read_zones(map, hardware);
  hardware.over_current = field<bool>(map, "over_current");
  if (map["nvpmodel"].IsDefined()) hardware.nvpmodel = read_nvpmodel(map["nvpmodel"]);
  hardware.workloads = read_workloads(required(map, "workloads"));
  return hardware;
}

}  // namespace

int SimulatedHardware::cpu_count() const {
  std::size_t count = 0;
  for (const auto& cluster : cpu.clusters)
    count += cluster.size();
  return static_cast<int>(count);
}

Expected<SimulatedHardware> SimulatedHardware::parse(std::string_view yaml, const std::string& source) {
  return parse_yaml<SimulatedHardware>(yaml, source, read_hardware);
}

Expected<SimulatedHardware> SimulatedHardware::builtin(const std::string& board) {
  const std::string source = board + "-simulated.yaml";
  const auto text = embedded_text(source);
  if (text.empty()) {
    return fail(ErrorCode::not_found, fmt::format("there is no simulated board '{}'", board),
                did_you_mean(board, simulated_board_names()));
  }
  return parse(text, source);
}

std::vector<std::string> simulated_board_names() {
  return {"agx-orin",   "agx-orin-32gb", "orin-nx", "orin-nx-super", "orin-nano", "orin-nano-super",
          "agx-xavier", "xavier-nx",     "tx2",     "nano",          "agx-thor"};
}

}  // namespace fulcrum::powermode

#include "powermode/simulated_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "powermode/node_text.h"
#include "powermode/simulated_hardware.h"

namespace fulcrum::powermode {

namespace {

constexpr int kFormat = 1;

Json to_json(const SimulatedState::Range& range) {
  return {{"min", range.min}, {"max", range.max}, {"governor", range.governor}};
}

SimulatedState::Range range_from(const Json& json) {
  return {json.at("min").get<std::int64_t>(), json.at("max").get<std::int64_t>(),
          json.at("governor").get<std::string>()};
}

Json to_json(const std::vector<std::optional<std::int64_t>>& temperatures) {
  Json list = Json::array();
  for (const auto& millidegrees : temperatures)
    list.push_back(millidegrees ? Json(*millidegrees) : Json());
  return list;
}

std::vector<std::optional<std::int64_t>> temperatures_from(const Json& list) {
  std::vector<std::optional<std::int64_t>> temperatures;
  for (const auto& entry : list)
    temperatures.push_back(entry.is_null() ? std::nullopt : std::optional(entry.get<std::int64_t>()));
  return temperatures;
}

std::vector<std::optional<std::int64_t>> temperatures_after_boot(const SimulatedHardware& hardware) {
  std::vector<std::optional<std::int64_t>> temperatures;
  for (const auto& zone : hardware.thermal_zones)
    temperatures.push_back(zone.millidegrees);
  return temperatures;
}

Json to_list(const PowerMode& mode) {
  return {mode.cpu_cores, mode.cpu_khz, mode.gpu_hz, mode.emc_hz};
}

PowerMode mode_from(const Json& list) {
  return {list.at(0).get<int>(), list.at(1).get<std::int64_t>(), list.at(2).get<std::int64_t>(),
          list.at(3).get<std::int64_t>()};
}

// What the code would index with or divide by.
bool sound(const SimulatedState& state, const SimulatedHardware& hardware) {
  if (state.cpu_online.size() != static_cast<std::size_t>(hardware.cpu_count()) ||
      !state.cpu_online.front()) {
    return false;
  }
  if (state.clusters.size() != hardware.cpu.clusters.size() || state.emc.rate < 1) return false;
  if (state.temperatures.size() != hardware.thermal_zones.size()) return false;
  for (const auto events : state.over_current_events) {
    if (events < 0) return false;
  }
  for (const auto& clocks : state.clocks) {
    for (const auto* mode : {&clocks.busy, &clocks.idle}) {
      if (mode->cpu_cores < 1 || mode->cpu_khz < 1 || mode->gpu_hz < 1 || mode->emc_hz < 1) return false;
    }
  }
  return true;
}

}  // namespace

namespace {

// The one without caps, if there is one.
const SimulatedHardware::NvpmodelMode* booted_mode(const SimulatedHardware& hardware, std::optional<int> id) {
  if (!hardware.nvpmodel) return nullptr;
  const auto& modes = hardware.nvpmodel->modes;
  const auto found = std::find_if(modes.begin(), modes.end(), [&](const auto& mode) {
    return id ? mode.id == *id : !mode.cpus && !mode.cpu_khz && !mode.gpu_hz && !mode.emc_hz;
  });
  return found == modes.end() ? nullptr : &*found;
}

void boot_into(const SimulatedHardware::NvpmodelMode& mode, const SimulatedHardware& hardware,
               SimulatedState& state) {
  state.nvpmodel_id = mode.id;
  state.gpu_masks = mode.masks;
  int online = 0;
  for (const auto& cluster : hardware.cpu.clusters) {
    for (const int cpu : cluster)
      state.cpu_online[static_cast<std::size_t>(cpu)] = !mode.cpus || online++ < *mode.cpus;
  }
  for (auto& cluster : state.clusters)
    cluster.max = mode.cpu_khz.value_or(cluster.max);
  state.gpu.max = mode.gpu_hz.value_or(state.gpu.max);
  state.emc.cap = static_cast<std::uint64_t>(mode.emc_hz.value_or(0));
}

}  // namespace

SimulatedState SimulatedState::after_boot(const SimulatedHardware& hardware, std::optional<int> nvpmodel_id) {
  SimulatedState state;
  state.board = hardware.board;
  state.boot_id = make_boot_id();
  state.cpu_online.assign(static_cast<std::size_t>(hardware.cpu_count()), true);
  state.clusters.assign(hardware.cpu.clusters.size(),
                        {hardware.cpu.levels_khz.front(), hardware.cpu.levels_khz.back(), "schedutil"});
  state.gpu = {hardware.gpu.levels_hz.front(), hardware.gpu.levels_hz.back(), "nvhost_podgov"};
  state.gpu_masks = hardware.gpu.masks;
  state.emc.rate = hardware.emc.levels_hz.back();
  state.temperatures = temperatures_after_boot(hardware);
  // An id that the catalogue does not have stays asked for: nvpmodel fails at boot, and the clocks are as the
  // kernel leaves them.
  if (hardware.nvpmodel) state.nvpmodel_id = nvpmodel_id;
  if (const auto* mode = booted_mode(hardware, nvpmodel_id); mode != nullptr)
    boot_into(*mode, hardware, state);
  return state;
}

std::int64_t SimulatedState::number(const std::string& path, std::int64_t otherwise) const {
  const auto value = values.find(path);
  if (value == values.end()) return otherwise;
  return parse_number(value->second).value_or(otherwise);
}

Json SimulatedState::to_json() const {
  Json cluster_list = Json::array();
  for (const auto& range : clusters)
    cluster_list.push_back(powermode::to_json(range));
  Json clock_list = Json::array();
  for (const auto& c : clocks)
    clock_list.push_back({c.at_ns, to_list(c.busy), to_list(c.idle)});
  Json fault_list = Json::array();
  for (const auto& fault : faults)
    fault_list.push_back(fault.to_json());
  return {{"format", kFormat},
          {"board", board},
          {"boot_id", boot_id},
          {"boots", boots},
          {"cpu_online", cpu_online},
          {"cpu_clusters_khz", std::move(cluster_list)},
          {"gpu_hz", powermode::to_json(gpu)},
          {"emc", {{"cap", emc.cap}, {"locked", emc.locked}, {"enabled", emc.enabled}, {"rate", emc.rate}}},
          {"gpu_masks", gpu_masks},
          {"values", values},
          {"nvpmodel_id", nvpmodel_id ? Json(*nvpmodel_id) : Json()},
          {"load", format_load_edges(load)},
          {"clocks", std::move(clock_list)},
          {"temperatures", powermode::to_json(temperatures)},
          {"over_current_events", over_current_events},
          {"faults", std::move(fault_list)}};
}

Expected<SimulatedState> SimulatedState::from_json(const Json& json, const SimulatedHardware& hardware) {
  try {
    if (json.at("format").get<int>() != kFormat) return fail(ErrorCode::corrupt, "another format");
    SimulatedState state;
    state.board = json.at("board").get<std::string>();
    state.boot_id = json.at("boot_id").get<std::string>();
    state.boots = json.at("boots").get<int>();
    state.cpu_online = json.at("cpu_online").get<std::vector<bool>>();
    for (const auto& range : json.at("cpu_clusters_khz"))
      state.clusters.push_back(range_from(range));
    state.gpu = range_from(json.at("gpu_hz"));
    const auto& emc = json.at("emc");
    state.emc = {emc.at("cap").get<std::uint64_t>(), emc.at("locked").get<bool>(),
                 emc.at("enabled").get<bool>(), emc.at("rate").get<std::int64_t>()};
    // These three are not in the files of boards that were made before them.
    state.gpu_masks = json.value("gpu_masks", hardware.gpu.masks);
    state.values = json.value("values", state.values);
    if (json.contains("nvpmodel_id") && !json.at("nvpmodel_id").is_null())
      state.nvpmodel_id = json.at("nvpmodel_id").get<int>();
    FULCRUM_TRY_ASSIGN(load, parse_load_edges(json.at("load").get<std::string>()));
    state.load = std::move(load);
    for (const auto& c : json.at("clocks")) {
      state.clocks.push_back({c.at(0).get<std::int64_t>(), mode_from(c.at(1)), mode_from(c.at(2))});
    }
    // Not in the files of boards that were made before these two.
    state.temperatures = json.contains("temperatures") ? temperatures_from(json.at("temperatures"))
                                                       : temperatures_after_boot(hardware);
    state.over_current_events = json.value("over_current_events", state.over_current_events);
    for (const auto& entry : json.at("faults")) {
      FULCRUM_TRY_ASSIGN(fault, SimulatedFault::from_json(entry));
      state.faults.push_back(std::move(fault));
    }
    if (!sound(state, hardware)) return fail(ErrorCode::corrupt, "its values are not those of this board");
    return state;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::corrupt, e.what());
  }
}

std::string make_boot_id() {
  std::random_device random;
  std::string id;
  for (const int digits : {8, 4, 4, 4, 12}) {
    if (!id.empty()) id += '-';
    for (int i = 0; i < digits; ++i)
      id += "0123456789abcdef"[random() % 16];
  }
  id[14] = '4';  // RFC 4122: a random UUID
  id[19] = "89ab"[random() % 4];
  return id;
}

}  // namespace fulcrum::powermode

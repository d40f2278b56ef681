// What the board keeper tells over the control socket.

#include <utility>

#include "daemon/board_keeper.h"

namespace fulcrum::daemon {

namespace {

Json power_json(const PowerSample& sample) {
  Json rails = Json::array();
  for (const auto& rail : sample.rails)
    rails.push_back({{"name", rail.name}, {"w", rail.power_w}});
  return {{"total_w", sample.total_w}, {"rails", std::move(rails)}};
}

Json levels_json(const BoardLevels& levels) {
  return {{"cpu_cores", levels.cpu_cores},
          {"cpu_khz", levels.cpu_khz},
          {"gpu_hz", levels.gpu_hz},
          {"emc_hz", levels.emc_hz}};
}

// {"value"} or {"error"}: a sensor that fails keeps no other from being told.
template <class T>
void put(Json& json, const char* key, const Expected<std::optional<T>>& reading) {
  if (!reading) {
    json["errors"][key] = reading.error().to_string();
  } else if (*reading) {
    json[key] = **reading;
  }
}

}  // namespace

void BoardKeeper::put_mode(Json& json) const {
  const auto mode = board().read_mode();
  if (!mode) {
    json["errors"]["mode"] = mode.error().to_string();
    return;
  }
  json["mode"] = mode->to_json();
  if (const auto name = name_of_read(*mode); !name.empty()) json["mode_name"] = name;
}

void BoardKeeper::put_power(Json& json) const {
  if (const auto power = board().read_power()) {
    json["power"] = power_json(*power);
  } else {
    json["errors"]["power"] = power.error().to_string();
  }
}

Json BoardKeeper::describe() const {
  const auto& board = *found_.board;
  Json presets = Json::array();
  for (const auto& preset : board.presets())
    presets.push_back({{"name", preset.name}, {"mode", preset.mode.to_json()}});
  Json json{{"id", board.id()},
            {"name", board.name()},
            {"simulated", simulated()},
            {"apply", nvpmodel_ ? "nvpmodel" : "sysfs"},
            {"mean_power_w", json_or_null(power_.mean_w())},
            {"peak_power_w", json_or_null(power_.peak_w())},
            {"energy_j", power_.energy_j()},
            {"energy_s", to_s(power_.measured())},
            {"levels", levels_json(board.levels())},
            {"presets", std::move(presets)},
            {"lease_held", held()}};
  put_mode(json);
  put_power(json);
  if (!board.read_only().empty()) json["read_only"] = board.read_only();
  if (const auto foreign = foreign_gpu_load(); foreign.value_or(0) > 0) json["foreign_gpu_load"] = *foreign;
  return json;
}

std::string BoardKeeper::name_of_read(const PowerMode& mode) const {
  for (const auto& preset : board().presets()) {
    if (is_in(preset, mode)) return preset.name;
  }
  return {};
}

bool BoardKeeper::is_in(const Preset& preset, const PowerMode& read) const {
  const bool same = held() ? preset.mode == read : found_.board->reads_as(read, preset.mode);
  return same && found_.board->why_unreachable(preset).empty();
}

Expected<Json> BoardKeeper::describe_modes() const {
  const auto& board = *found_.board;
  FULCRUM_TRY_ASSIGN(mode, board.read_mode());
  const auto* requested = board.requested_preset();
  Json presets = Json::array();
  for (const auto& preset : board.presets()) {
    Json entry{{"name", preset.name},
               {"mode", preset.mode.to_json()},
               {"active", is_in(preset, mode)},
               {"requested", &preset == requested}};
    if (preset.nvpmodel_id) entry["nvpmodel_id"] = *preset.nvpmodel_id;
    if (const auto why = board.why_unreachable(preset); !why.empty()) entry["needs_reboot"] = why;
    if (!preset.differences.empty()) entry["differences"] = preset.differences;
    presets.push_back(std::move(entry));
  }
  Json json{{"mode", mode.to_json()},
            {"apply", nvpmodel_ ? "nvpmodel" : "sysfs"},
            {"from_catalogue", board.catalogue().conf.has_value()},
            {"levels", levels_json(board.levels())},
            {"lease_held", held()},
            {"presets", std::move(presets)}};
  if (const auto name = name_of_read(mode); !name.empty()) json["mode_name"] = name;
  if (!board.catalogue().trouble.empty()) json["catalogue_trouble"] = board.catalogue().trouble;
  if (const auto& conf = board.catalogue().conf; conf && !conf->remarks.empty())
    json["remarks"] = conf->remarks;
  return json;
}

Json BoardKeeper::describe_sensors() const {
  const auto& board = *found_.board;
  Json json{{"averaging_window_ms", to_ms(board.averaging_window())}};
  put_power(json);
  put(json, "gpu_load", board.read_gpu_load());
  if (const auto counts = board.read_throttle_counts(); !counts) {
    json["errors"]["throttle_events"] = counts.error().to_string();
  } else if (!counts->empty()) {
    for (const auto& count : *counts)
      json["throttle_events"][count.cause] = count.events;
  }
  if (const auto memory = board.read_memory()) {
    json["memory_bytes"] = memory->total_bytes;
    json["available_memory_bytes"] = memory->available_bytes;
  } else {
    json["errors"]["available_memory_bytes"] = memory.error().to_string();
  }
  if (const auto degrees_c = board.read_temperature_c()) json["temperature_c"] = *degrees_c;
  if (const auto lost = board.read_cpu_slowdown()) json["cpu_slowdown"] = *lost;
  if (const auto foreign = foreign_gpu_load()) json["foreign_gpu_load"] = *foreign;
  return json;
}

}  // namespace fulcrum::daemon

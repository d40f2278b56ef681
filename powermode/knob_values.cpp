#include "powermode/knob_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/durable_file.h"

namespace fulcrum::powermode {

namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaxFileBytes = 1U << 20;

Unexpected corrupt(const std::string& path, const std::string& why) {
  return fail(
      ErrorCode::corrupt, fmt::format("the saved knobs '{}' are unusable: {}", path, why),
      "the board may still be in a mode that Fulcrum set; reboot it, or reset its clocks by hand (nvpmodel), "
      "then delete the file");
}

}  // namespace

std::optional<std::string> KnobValues::find(const std::string& path) const {
  const auto it =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.path == path; });
  return it == entries_.end() ? std::nullopt : std::optional(it->value);
}

void KnobValues::set(std::string path, std::string value) {
  const auto it =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.path == path; });
  if (it == entries_.end()) {
    entries_.push_back({std::move(path), std::move(value)});
  } else {
    it->value = std::move(value);
  }
}

bool KnobValues::add_missing(const KnobValues& other) {
  const std::size_t before = entries_.size();
  for (const auto& entry : other.entries_) {
    if (!find(entry.path)) entries_.push_back(entry);
  }
  return entries_.size() > before;
}

Json KnobValues::to_json() const {
  Json json = Json::array();
  for (const auto& entry : entries_)
    json.push_back({{"path", entry.path}, {"value", entry.value}});
  return json;
}

Expected<KnobValues> KnobValues::from_json(const Json& json) {
  try {
    KnobValues values;
    for (const auto& entry : json) {
      auto path = entry.at("path").get<std::string>();
      if (values.find(path)) return fail(ErrorCode::corrupt, fmt::format("'{}' appears twice", path));
      values.set(std::move(path), entry.at("value").get<std::string>());
    }
    return values;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::corrupt, e.what());
  }
}

Expected<void> save_knobs(const std::string& path, const SavedKnobs& saved) {
  Json json{{"format", kFormat},
            {"board", saved.board_id},
            {"boot_id", saved.boot_id},
            {"knobs", saved.values.to_json()}};
  if (saved.nvpmodel)
    json["nvpmodel"] = {{"program", saved.nvpmodel->program},
                        {"conf", saved.nvpmodel->conf},
                        {"mode_id", saved.nvpmodel->mode_id}};
  return replace_file(path, json.dump(1) + "\n", Durability::durable, 0600);
}

Expected<std::optional<SavedKnobs>> load_saved_knobs(const std::string& path) {
  auto text = read_file(path, kMaxFileBytes);
  if (!text && text.error().code == ErrorCode::not_found) return std::nullopt;
  if (!text) return Unexpected(std::move(text).error());
  const auto json = parse_json(*text);
  if (!json) return corrupt(path, json.error().message);
  try {
    if (const auto format = json->at("format").get<int>(); format != kFormat) {
      return corrupt(path, fmt::format("format {} is not {}", format, kFormat));
    }
    if (!json->at("knobs").is_array()) return corrupt(path, "'knobs' is not a list");
    auto values = KnobValues::from_json(json->at("knobs"));
    if (!values) return corrupt(path, values.error().message);
    SavedKnobs saved{json->at("board").get<std::string>(), json->at("boot_id").get<std::string>(),
                     std::move(*values), std::nullopt};
    if (json->contains("nvpmodel")) {
      const auto& nvpmodel = json->at("nvpmodel");
      saved.nvpmodel =
          SavedNvpmodel{nvpmodel.at("program").get<std::string>(), nvpmodel.at("conf").get<std::string>(),
                        nvpmodel.at("mode_id").get<int>()};
    }
    return saved;
  } catch (const Json::exception& e) {
    return corrupt(path, e.what());
  }
}

}  // namespace fulcrum::powermode

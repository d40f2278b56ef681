#pragma once
// Parts of answers, and what a renderer must survive: an answer with one part of it missing or of another
// type.

#include <functional>
#include <string>
#include <vector>

#include "common/json_text.h"

namespace fulcrum::test {

// As the daemon writes it.
inline const Json kMaxn{
    {"cpu_cores", 12}, {"cpu_khz", 2201600}, {"gpu_hz", 1300500000}, {"emc_hz", 3199000000}};

inline void collect_places(const Json& json, const Json::json_pointer& at,
                           std::vector<Json::json_pointer>& places) {
  places.push_back(at);
  if (!json.is_structured()) return;
  for (const auto& [name, child] : json.items()) {
    collect_places(child, json.is_array() ? at / static_cast<std::size_t>(std::stoul(name)) : at / name,
                   places);
  }
}

// Calls `see` with each way in which one part of `good` could be odd.
inline void for_each_odd(const Json& good, const std::function<void(const Json&)>& see) {
  std::vector<Json::json_pointer> places;
  collect_places(good, Json::json_pointer(), places);
  const std::vector<Json> odd{nullptr,
                              true,
                              -3,
                              1e300,
                              "\x1b[2J\n",
                              "",
                              Json::array(),
                              Json::array({1, nullptr}),
                              Json::object(),
                              Json{{"mode", "x"}, {"batch_size", {1}}}};
  for (const auto& place : places) {
    for (const auto& value : odd) {
      Json answer = good;
      answer[place] = value;
      see(answer);
    }
    if (place.empty()) continue;
    Json answer = good;
    Json& parent = answer[place.parent_pointer()];
    if (!parent.is_object()) continue;
    parent.erase(place.back());
    see(answer);
  }
}

}  // namespace fulcrum::test

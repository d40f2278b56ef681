#pragma once
// Strict reading of the YAML data files of this folder. The functions throw YAML::Exception with the place of
// the fault; parse_yaml, and nothing else, catches it.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace fulcrum::powermode {

// Refuses anything but a mapping with no keys beside `known`.
void check_keys(const YAML::Node& map, const std::vector<std::string>& known);

// The value of a key that must be there.
YAML::Node required(const YAML::Node& map, const char* key);

// Refuses anything but a list with at least one entry.
YAML::Node required_list(const YAML::Node& map, const char* key);

template <class T>
T as(const YAML::Node& node, const char* what) {
  try {
    return node.as<T>();
  } catch (const YAML::BadConversion& e) {
    const char* wanted = std::is_same_v<T, bool>          ? "true or false"
                         : std::is_integral_v<T>          ? "a whole number"
                         : std::is_floating_point_v<T>    ? "a number"
                         : std::is_same_v<T, std::string> ? "a text"
                                                          : "a list";
    throw YAML::RepresentationException(e.mark, fmt::format("'{}' is not {}", what, wanted));
  }
}

template <class T>
T field(const YAML::Node& map, const char* key) {
  return as<T>(required(map, key), key);
}

// A list of numbers, each above the one before, the first above zero.
std::vector<std::int64_t> ascending_field(const YAML::Node& map, const char* key);

// Lists of CPUs, of which cpu0 is the first; together 0, 1, 2, ... each once, in any order.
std::vector<std::vector<int>> clusters_field(const YAML::Node& map, const char* key);

// The time that a sensor averages over: milliseconds, from 1 to 60000.
Duration window_field(const YAML::Node& map, const char* key);

// "source:line:column: what".
[[nodiscard]] Unexpected yaml_failure(const std::string& source, const YAML::Exception& exception);

template <class T, class Read>
[[nodiscard]] Expected<T> parse_yaml(std::string_view text, const std::string& source, const Read& read) {
  try {
    return read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& e) {
    return yaml_failure(source, e);
  }
}

}  // namespace fulcrum::powermode

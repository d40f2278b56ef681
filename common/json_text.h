#pragma once
// JSON text from anybody into a value, and back, without the ways in which a peer could break us: nesting is
// capped (nlohmann's printing recurses), bytes that are no UTF-8 are refused when read and replaced when
// printed.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"

namespace fulcrum {

using Json = nlohmann::json;

inline constexpr int kMaxJsonDepth = 64;

// invalid_argument, with the byte position, for text that is not one JSON value, repeats a key, or nests
// deeper than kMaxJsonDepth.
[[nodiscard]] Expected<Json> parse_json(std::string_view text);

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// On one line, whatever the strings inside contain.
std::string to_line(const Json& value);

}  // namespace fulcrum

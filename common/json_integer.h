#pragma once
// Whole numbers out of JSON. nlohmann's get<int>() cuts off what int cannot hold and casts 1e300 without a
// word.

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "common/json_text.h"

namespace fulcrum {

// For decoders that already catch what json.at() throws: std::invalid_argument for anything but a whole
// number that T can hold.
template <class T>
T integer_from(const Json& json) {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
  if (!json.is_number_integer()) throw std::invalid_argument("not a whole number");
  const bool negative = !json.is_number_unsigned() && json.get<std::int64_t>() < 0;
  const bool fits =
      negative ? json.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<T>::min())
               : json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (!fits) throw std::invalid_argument("a whole number out of range: " + to_line(json));
  return json.get<T>();
}

}  // namespace fulcrum

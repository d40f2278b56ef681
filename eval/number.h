#pragma once
// Numbers from text, all of it or nothing; whatever the locale.

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace fulcrum::eval {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

}  // namespace fulcrum::eval

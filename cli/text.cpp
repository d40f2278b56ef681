#include "cli/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <sstream>

namespace fulcrum::cli {

namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

const Json* find(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      '?');
  // The C1 controls, U+0080 to U+009F, are C2 80 to C2 9F in UTF-8.
  for (std::size_t i = 0; i + 1 < clean.size(); ++i) {
    if (clean[i] == '\xC2' && static_cast<unsigned char>(clean[i + 1]) < 0xA0U) clean.replace(i, 2, "?");
  }
  return clean;
}

std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - columns_of(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::optional<double> number_in(const Json& object, const char* name) {
  const Json* value = find(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::string text_in(const Json& object, const char* name) {
  const Json* value = find(object, name);
  return value != nullptr && value->is_string() ? printable(value->get_ref<const std::string&>())
                                                : std::string();
}

const Json& object_in(const Json& object, const char* name) {
  static const Json none = Json::object();
  const Json* value = find(object, name);
  return value != nullptr && value->is_object() ? *value : none;
}

const Json& list_in(const Json& object, const char* name) {
  static const Json none = Json::array();
  const Json* value = find(object, name);
  return value != nullptr && value->is_array() ? *value : none;
}

std::vector<std::string> texts_in(const Json& object, const char* name) {
  std::vector<std::string> texts;
  for (const auto& each : list_in(object, name)) {
    if (each.is_string()) texts.push_back(printable(each.get_ref<const std::string&>()));
  }
  return texts;
}

std::optional<std::int64_t> whole_in(const Json& object, const char* name) {
  constexpr double kRoom = 9007199254740992.0;
  const auto number = number_in(object, name);
  if (!number || !(std::abs(*number) <= kRoom)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string local_time(std::int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return "?";
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string fit(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) return text;
  if (columns == 0) return {};
  std::size_t seen = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (begins_character(text[end]) && ++seen == columns) break;
  }
  return text.substr(0, end) + "…";
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || columns_of(lines.back()) + 1 + columns_of(word) > columns) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::string counted(double number, const std::string& noun) {
  return fmt::format("{:.0f} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace fulcrum::cli

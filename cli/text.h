#pragma once
// Words and tables for people.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json_text.h"

namespace fulcrum::cli {

// Without what could steer a terminal: control characters become '?'.
std::string printable(std::string_view text);

// Columns as wide as they must be, two spaces between. Lines end without spaces.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The parts of an answer, whose absence or odd type is no reason to stop: the number, text or object below
// `name`.
std::optional<double> number_in(const Json& object, const char* name);
std::string text_in(const Json& object, const char* name);    // "" if there is none
const Json& object_in(const Json& object, const char* name);  // an empty object if there is none
const Json& list_in(const Json& object, const char* name);    // an empty list if there is none
// The texts in the list below `name`; what else is in it is left out.
std::vector<std::string> texts_in(const Json& object, const char* name);
// The number without its fraction, if it is one that has room: within +-2^53.
std::optional<std::int64_t> whole_in(const Json& object, const char* name);

std::string local_time(std::int64_t unix_ms);  // "2026-01-31 14:05:09"

// The first `columns` characters of UTF-8 text, with an ellipsis if it had more.
std::string fit(const std::string& text, std::size_t columns);

// The text in lines of at most `columns` characters, broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

// "1 probe", "14 probes"
std::string counted(double number, const std::string& noun);

}  // namespace fulcrum::cli

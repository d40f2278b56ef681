#pragma once
// What sysfs nodes say, as values.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "powermode/file_tree.h"

namespace fulcrum::powermode {

// Without white space and NULs at the end.
std::string trimmed(std::string_view text);

// The node's text, trimmed.
[[nodiscard]] Expected<std::string> read_text(const FileTree& tree, const std::string& path);

// A node that holds one whole number. `corrupt` when it holds something else.
[[nodiscard]] Expected<std::int64_t> read_number(const FileTree& tree, const std::string& path);

// A node that lists numbers, in any order and with units such as "(kHz)" between; ascending and unique, not
// empty.
[[nodiscard]] Expected<std::vector<std::int64_t>> read_numbers(const FileTree& tree, const std::string& path);

// The whole numbers among the words of a text.
std::vector<std::int64_t> numbers_in(std::string_view text);

// The number that is all of `text`, or an error that names neither path nor field.
[[nodiscard]] Expected<std::int64_t> parse_number(std::string_view text);

}  // namespace fulcrum::powermode

#include "powermode/node_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fulcrum::powermode {

namespace {
constexpr std::string_view kBlanks(" \t\r\n\0", 5);
}

std::string trimmed(std::string_view text) {
  const auto last = text.find_last_not_of(kBlanks);
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

Expected<std::string> read_text(const FileTree& tree, const std::string& path) {
  FULCRUM_TRY_ASSIGN(text, tree.read(path));
  return trimmed(text);
}

Expected<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    return fail(ErrorCode::corrupt, fmt::format("'{}' is not a whole number", text.substr(0, 80)));
  }
  return value;
}

Expected<std::int64_t> read_number(const FileTree& tree, const std::string& path) {
  FULCRUM_TRY_ASSIGN(text, read_text(tree, path));
  auto value = parse_number(text);
  if (!value) return in_context(std::move(value).error(), fmt::format("reading '{}'", path));
  return value;
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> values;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (const auto value = parse_number(text.substr(at, end - at))) values.push_back(*value);
    at = end;
  }
  return values;
}

Expected<std::vector<std::int64_t>> read_numbers(const FileTree& tree, const std::string& path) {
  FULCRUM_TRY_ASSIGN(text, read_text(tree, path));
  auto values = numbers_in(text);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.empty() || values.front() <= 0) {
    return fail(ErrorCode::corrupt, fmt::format("'{}' lists no frequencies: '{}'", path, text.substr(0, 80)));
  }
  return values;
}

}  // namespace fulcrum::powermode

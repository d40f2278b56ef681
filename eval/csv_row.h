#pragma once
// Rows of the CSV files that fulcrum-eval writes and reads again.

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "eval/number.h"
#include "eval/table_file.h"
#include "powermode/power_mode.h"

namespace fulcrum::eval {

// The cells of a row, in the order of the header; what has no meaning is empty.
class RowWriter {
 public:
  void text(std::string_view value) { add("{}", value); }
  void number(double value) { add("{:.8g}", value); }
  template <class T>
  void whole(T value) {
    add("{}", value);
  }
  void mode(const PowerMode& mode) {
    whole(mode.cpu_cores);
    whole(mode.cpu_khz);
    whole(mode.gpu_hz);
    whole(mode.emc_hz);
  }
  void none() { text(""); }
  void number_if(bool has_meaning, double value) { has_meaning ? number(value) : none(); }

  std::string row() { return std::move(row_); }

 private:
  template <class T>
  void add(const char* format, const T& value) {
    if (!row_.empty()) row_ += ',';
    fmt::format_to(std::back_inserter(row_), fmt::runtime(format), value);
  }

  std::string row_;
};

// Reads the cells of a row in turn, and remembers the first that is wrong.
class RowReader {
 public:
  RowReader(std::string_view line, const std::vector<std::string_view>& columns)
      : cells_(split_csv(line)), columns_(columns) {
    if (cells_.size() != columns.size())
      fault_ = fmt::format("{} columns, not {}", cells_.size(), columns.size());
  }

  std::string text() { return std::string(next()); }

  template <class T>
  std::optional<T> number_or_none() {
    const auto column = column_;
    const auto cell = next();
    const auto value = parse_number<T>(cell);
    if (!value && !cell.empty() && fault_.empty())
      fault_ = fmt::format("{} is '{}', not a number", columns_[column], cell);
    return value;
  }
  template <class T>
  T number() {
    const auto column = column_;
    const auto value = number_or_none<T>();
    if (!value && fault_.empty()) fault_ = fmt::format("{} is missing", columns_[column]);
    return value.value_or(T{});
  }
  // What `parse` makes of a text; none if it refuses it.
  template <class Parse>
  auto parsed(const Parse& parse) {
    const auto read = parse(next());
    if (!read && fault_.empty()) fault_ = read.error().message;
    return read ? std::optional(*read) : std::nullopt;
  }
  PowerMode mode() {
    PowerMode mode;
    mode.cpu_cores = number<int>();
    mode.cpu_khz = number<std::int64_t>();
    mode.gpu_hz = number<std::int64_t>();
    mode.emc_hz = number<std::int64_t>();
    return mode;
  }

  const std::string& fault() const { return fault_; }

 private:
  std::string_view next() { return fault_.empty() ? cells_[column_++] : std::string_view(); }

  std::vector<std::string_view> cells_;
  const std::vector<std::string_view>& columns_;
  std::size_t column_ = 0;
  std::string fault_;
};

// Messages begin with file:line.
template <class T, class Read>
[[nodiscard]] Expected<std::vector<T>> read_csv(const std::string& path, const std::string& header,
                                                const std::string& hint, const Read& read) {
  std::ifstream file(path);
  if (!file) return fail_errno(errno, fmt::format("opening '{}'", path));
  std::string line;
  const auto columns = split_csv(header);
  if (!std::getline(file, line) || split_csv(line) != columns)
    return fail(ErrorCode::corrupt, fmt::format("{}:1: the header is not '{}'", path, header), hint);
  std::vector<T> rows;
  for (int number = 2; std::getline(file, line); ++number) {
    RowReader row(line, columns);
    rows.push_back(read(row));
    if (!row.fault().empty())
      return fail(ErrorCode::corrupt, fmt::format("{}:{}: {}", path, number, row.fault()));
  }
  return rows;
}

}  // namespace fulcrum::eval

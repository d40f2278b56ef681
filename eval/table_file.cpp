#include "eval/table_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <map>

#include "eval/number.h"

namespace fulcrum::eval {

using scheduler::Profile;
using scheduler::ProfileSet;

namespace {

constexpr const char* kTableHeader = "cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w";
constexpr const char* kColumns[] = {"cpu_cores",  "cpu_khz", "gpu_hz", "emc_hz",
                                    "batch_size", "time_ms", "power_w"};

// Reads the cells of a row in turn, and remembers the first that is wrong.
class MeasuredRow {
 public:
  explicit MeasuredRow(std::string_view line) : cells_(split_csv(line)) {
    if (cells_.size() != std::size(kColumns))
      fault_ = fmt::format("{} columns, not {}", cells_.size(), std::size(kColumns));
  }

  template <class T>
  void next(T& value) {
    if (!fault_.empty()) return;
    const auto text = cells_[column_];
    const auto read = parse_number<T>(text);
    if (!read || *read <= 0)
      fault_ = fmt::format("{} is '{}', not a positive number", kColumns[column_], text);
    if (read) value = *read;
    ++column_;
  }

  const std::string& fault() const { return fault_; }

 private:
  std::vector<std::string_view> cells_;
  std::size_t column_ = 0;
  std::string fault_;
};

// What is wrong with the row; empty: nothing.
std::string parse_row(std::string_view line, Profile& row) {
  MeasuredRow reader(line);
  reader.next(row.mode.cpu_cores);
  reader.next(row.mode.cpu_khz);
  reader.next(row.mode.gpu_hz);
  reader.next(row.mode.emc_hz);
  reader.next(row.batch_size);
  reader.next(row.p50_ms);
  reader.next(row.power_w);
  row.p99_ms = row.p50_ms;
  return reader.fault();
}

}  // namespace

std::vector<std::string_view> split_csv(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::vector<std::string_view> cells;
  cells.reserve(32);
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string table_file_name(const std::string& workload, WorkloadTask task) {
  return workload + (task == WorkloadTask::training ? "-train.csv" : "-infer.csv");
}

Expected<Table> read_table(const std::string& path, const std::string& workload, WorkloadTask task) {
  std::ifstream file(path);
  if (!file) return fail_errno(errno, fmt::format("opening '{}'", path));
  std::string line;
  const auto without_return = [](std::string_view text) {
    return !text.empty() && text.back() == '\r' ? text.substr(0, text.size() - 1) : text;
  };
  if (!std::getline(file, line) || without_return(line) != kTableHeader) {
    return fail(ErrorCode::corrupt, fmt::format("{}:1: the header is not '{}'", path, kTableHeader));
  }
  std::vector<Profile> rows;
  std::map<ProfileSet::Key, int> line_of;
  for (int number = 2; std::getline(file, line); ++number) {
    Profile row;
    row.task = task;
    if (const auto fault = parse_row(line, row); !fault.empty())
      return fail(ErrorCode::corrupt, fmt::format("{}:{}: {}", path, number, fault));
    const auto [first, is_new] = line_of.emplace(ProfileSet::Key{task, row.mode, row.batch_size}, number);
    if (!is_new) {
      return fail(ErrorCode::corrupt, fmt::format("{}:{}: the mode and batch size of line {} again", path,
                                                  number, first->second));
    }
    rows.push_back(row);
  }
  if (rows.empty()) return fail(ErrorCode::corrupt, fmt::format("{}:1: no rows after the header", path));
  auto table = Table::make(workload, task, rows);
  if (!table) return in_context(std::move(table).error(), path);
  return table;
}

}  // namespace fulcrum::eval

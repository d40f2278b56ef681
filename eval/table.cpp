#include "eval/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace fulcrum::eval {

using scheduler::Dimension;
using scheduler::kDimensions;
using scheduler::ModeGrid;
using scheduler::PerDimension;
using scheduler::Profile;

namespace {

PerDimension<std::int64_t> values_of(const PowerMode& mode) {
  return {mode.cpu_cores, mode.cpu_khz, mode.gpu_hz, mode.emc_hz};
}

template <class T>
void sort_and_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <class T>
std::optional<std::size_t> index_in(const std::vector<T>& ascending, const T& value) {
  const auto found = std::lower_bound(ascending.begin(), ascending.end(), value);
  if (found == ascending.end() || *found != value) return std::nullopt;
  return static_cast<std::size_t>(found - ascending.begin());
}

// More gaps than rows, and the modes were not chosen as a grid.
bool is_grid(const PerDimension<std::vector<std::int64_t>>& levels, std::size_t batch_sizes,
             std::size_t rows) {
  double cells = static_cast<double>(batch_sizes);
  for (const auto& own : levels)
    cells *= static_cast<double>(own.size());
  return cells <= 2.0 * static_cast<double>(rows);
}

}  // namespace

Table::Table(std::string workload, WorkloadTask task, ModeGrid grid, std::vector<int> batch_sizes)
    : workload_(std::move(workload)),
      task_(task),
      grid_(std::move(grid)),
      batch_sizes_(std::move(batch_sizes)),
      cells_(grid_.size() * batch_sizes_.size()) {}

Expected<Table> Table::make(std::string workload, WorkloadTask task, const std::vector<Profile>& rows) {
  PerDimension<std::vector<std::int64_t>> levels;
  std::vector<int> batch_sizes;
  batch_sizes.reserve(rows.size());
  for (const auto& row : rows) {
    const auto values = values_of(row.mode);
    for (std::size_t d = 0; d < kDimensions; ++d)
      levels[d].push_back(values[d]);
    batch_sizes.push_back(row.batch_size);
  }
  for (auto& own : levels)
    sort_and_unique(own);
  sort_and_unique(batch_sizes);
  if (!is_grid(levels, batch_sizes.size(), rows.size())) {
    return fail(
        ErrorCode::corrupt,
        fmt::format("{} rows are too few for a grid of {} x {} x {} x {} power modes and {} batch sizes",
                    rows.size(), levels[0].size(), levels[1].size(), levels[2].size(), levels[3].size(),
                    batch_sizes.size()));
  }
  FULCRUM_TRY_ASSIGN(grid, ModeGrid::make(std::move(levels)));
  Table table(std::move(workload), task, std::move(grid), std::move(batch_sizes));
  for (const auto& row : rows)
    table.cells_[*table.cell_of(row.mode, row.batch_size)] = row;
  return table;
}

std::optional<std::size_t> Table::cell_of(const PowerMode& mode, int batch_size) const {
  const auto values = values_of(mode);
  std::size_t cell = 0;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    const auto& levels = grid_.levels(static_cast<Dimension>(d));
    const auto level = index_in(levels, values[d]);
    if (!level) return std::nullopt;
    cell = cell * levels.size() + *level;
  }
  const auto batch = index_in(batch_sizes_, batch_size);
  if (!batch) return std::nullopt;
  return cell * batch_sizes_.size() + *batch;
}

const Profile* Table::find(const PowerMode& mode, int batch_size) const {
  const auto cell = cell_of(mode, batch_size);
  return cell && cells_[*cell] ? &*cells_[*cell] : nullptr;
}

std::size_t Table::gaps() const {
  return static_cast<std::size_t>(
      std::count_if(cells_.begin(), cells_.end(), [](const auto& cell) { return !cell; }));
}

std::vector<Profile> Table::rows() const {
  std::vector<Profile> rows;
  rows.reserve(cells_.size());
  for (const auto& cell : cells_) {
    if (cell) rows.push_back(*cell);
  }
  return rows;
}

Table Table::on(const ModeGrid& grid) const {
  Table part(workload_, task_, grid, batch_sizes_);
  for (const auto& cell : cells_) {
    if (!cell) continue;
    if (const auto place = part.cell_of(cell->mode, cell->batch_size)) part.cells_[*place] = cell;
  }
  return part;
}

ModeGrid common_grid(const ModeGrid& a, const ModeGrid& b) {
  PerDimension<std::vector<std::int64_t>> levels;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    const auto& in_a = a.levels(static_cast<Dimension>(d));
    const auto& in_b = b.levels(static_cast<Dimension>(d));
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(levels[d]));
  }
  auto grid = ModeGrid::make(std::move(levels));
  return grid ? *grid : ModeGrid();
}

}  // namespace fulcrum::eval

#pragma once
// Times and powers of one workload and one task over a whole grid of power modes: measured on a board and
// read from a file, or computed by the model of a simulated one.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "scheduler/mode_grid.h"
#include "scheduler/profile.h"

namespace fulcrum::eval {

class Table {
 public:
  // Of at least one row, all of `task` and each (mode, batch) once. The grid consists of every level that
  // occurs; corrupt if the rows are so few that they are no grid.
  [[nodiscard]] static Expected<Table> make(std::string workload, WorkloadTask task,
                                            const std::vector<scheduler::Profile>& rows);

  const std::string& workload() const { return workload_; }
  WorkloadTask task() const { return task_; }
  const scheduler::ModeGrid& grid() const { return grid_; }
  const std::vector<int>& batch_sizes() const { return batch_sizes_; }  // ascending

  // Null where the table has a gap, and for what is not in it at all.
  const scheduler::Profile* find(const PowerMode& mode, int batch_size) const;

  std::size_t gaps() const;  // combinations of its levels and batch sizes that have no row
  std::vector<scheduler::Profile> rows() const;  // without the gaps, ascending by mode and batch size

  // On the modes that lie on another grid, each level of which must be one of the table's.
  Table on(const scheduler::ModeGrid& grid) const;

  // With other numbers in its rows.
  template <class Change>
  Table changed(const Change& change) const {
    Table other = *this;
    for (auto& row : other.cells_) {
      if (row) row = change(*row);
    }
    return other;
  }

 private:
  Table(std::string workload, WorkloadTask task, scheduler::ModeGrid grid, std::vector<int> batch_sizes);

  std::optional<std::size_t> cell_of(const PowerMode& mode, int batch_size) const;

  std::string workload_;
  WorkloadTask task_ = WorkloadTask::training;
  scheduler::ModeGrid grid_;
  std::vector<int> batch_sizes_;
  std::vector<std::optional<scheduler::Profile>> cells_;  // by mode, then by batch size
};

// The modes that two tables have in common; without modes if there are none.
scheduler::ModeGrid common_grid(const scheduler::ModeGrid& a, const scheduler::ModeGrid& b);

}  // namespace fulcrum::eval

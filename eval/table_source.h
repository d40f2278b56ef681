#pragma once
// Where the tables of an evaluation come from: a folder of files, or the model of a simulated board.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "eval/table.h"
#include "powermode/simulated_workloads.h"

namespace fulcrum::eval {

class TableSource {
 public:
  virtual ~TableSource() = default;
  // The workloads that have a table for this task, sorted.
  virtual std::vector<std::string> workloads(WorkloadTask task) const = 0;
  // Of a workload that has one.
  [[nodiscard]] virtual Expected<Table> table(const std::string& workload, WorkloadTask task) const = 0;
  virtual std::string description() const = 0;
};

class TableFolder : public TableSource {
 public:
  // not_found, io: the folder cannot be read.
  [[nodiscard]] static Expected<std::unique_ptr<TableSource>> open(const std::string& path);

  std::vector<std::string> workloads(WorkloadTask task) const override;
  Expected<Table> table(const std::string& workload, WorkloadTask task) const override;
  std::string description() const override { return "'" + path_ + "'"; }

 private:
  std::string path_;
  std::map<WorkloadTask, std::vector<std::string>> workloads_;
};

// Training at batch 16, inference at batches 1, 4, 16, 32 and 64, for every class of workloads that the
// simulated board knows, by the model that it runs by.
class SimulatedTables : public TableSource {
 public:
  // full: every mode of the board; else the grid that searches work on. Errors: an unknown board.
  [[nodiscard]] static Expected<std::unique_ptr<TableSource>> of_board(const std::string& board, bool full);

  std::vector<std::string> workloads(WorkloadTask task) const override;
  Expected<Table> table(const std::string& workload, WorkloadTask task) const override;
  std::string description() const override { return "the simulated " + board_; }

 private:
  SimulatedTables(std::string board, SimulatedWorkloads model, scheduler::ModeGrid grid)
      : board_(std::move(board)), model_(std::move(model)), grid_(std::move(grid)) {}

  std::string board_;
  SimulatedWorkloads model_;
  scheduler::ModeGrid grid_;
};

// Those of a folder, or of a simulated board where `folder` is empty.
[[nodiscard]] Expected<std::unique_ptr<TableSource>> open_tables(const std::string& folder,
                                                                 const std::string& board, bool full);

}  // namespace fulcrum::eval

#pragma once
// What the problems of one sweep are asked of: a training workload, an inference workload or a pair, with the
// tables that answer for them.

#include <optional>
#include <string>

#include "eval/table.h"
#include "scheduler/problem.h"

namespace fulcrum::eval {

struct Bench {
  scheduler::ProblemKind kind = scheduler::ProblemKind::train;
  scheduler::ModeGrid grid;  // of the tables
  std::optional<Table> training;
  std::optional<Table> inference;

  const scheduler::Profile* find(WorkloadTask task, const PowerMode& mode, int batch_size) const {
    const auto& table = task == WorkloadTask::training ? training : inference;
    return table ? table->find(mode, batch_size) : nullptr;
  }
  std::string train_workload() const { return training ? training->workload() : ""; }
  std::string infer_workload() const { return inference ? inference->workload() : ""; }
};

enum class GridChoice {
  search,  // as the daemon thins a board's modes: 441 on an AGX Orin
  full,    // every mode that the tables have
};

// Of the tables that the kind asks for, on the modes that they have in common. unsupported if there are
// none, or if the training table has several batch sizes.
[[nodiscard]] Expected<Bench> make_bench(scheduler::ProblemKind kind, GridChoice grid, const Table* training,
                                         const Table* inference);

}  // namespace fulcrum::eval

#pragma once
// Small tables by formula, and problems on them.

#include <cstdint>
#include <string>
#include <vector>

#include "eval/bench.h"
#include "eval/evaluation.h"
#include "eval/sweep.h"

namespace fulcrum::eval {

// 2 x 3 x 3 x 2 modes. Higher modes are faster and draw more; `offset` tells workloads apart.
inline Table small_table(const std::string& workload, WorkloadTask task, double offset = 0) {
  const std::vector<int> batches =
      task == WorkloadTask::training ? std::vector<int>{16} : std::vector<int>{1, 4};
  std::vector<scheduler::Profile> rows;
  for (int cores = 1; cores <= 2; ++cores) {
    for (int cpu = 1; cpu <= 3; ++cpu) {
      for (int gpu = 1; gpu <= 3; ++gpu) {
        for (int emc = 1; emc <= 2; ++emc) {
          for (const int batch : batches) {
            const double time = (40 + offset) * (1 + .3 * batch) / (cores + cpu + 2 * gpu + emc);
            const double power = 8 + offset + cores + 2 * cpu + 3.3 * gpu + emc + .1 * batch;
            rows.push_back({task, PowerMode{cores, cpu, gpu, emc}, batch, time, time, power});
          }
        }
      }
    }
  }
  return Table::make(workload, task, rows).value();
}

inline Bench small_bench(scheduler::ProblemKind kind) {
  const Table training = small_table("net", WorkloadTask::training);
  const Table inference = small_table("cam", WorkloadTask::inference, 1);
  return make_bench(kind, GridChoice::full, kind != scheduler::ProblemKind::infer ? &training : nullptr,
                    kind != scheduler::ProblemKind::train ? &inference : nullptr)
      .value();
}

inline Sweep small_sweep(scheduler::ProblemKind kind) {
  Sweep sweep{small_bench(kind), {}, {}};
  sweep.problems = problems_of(sweep.bench, {{10, 34, 3}, {40, 200, 40}, {10, 70, 20}});
  return sweep;
}

inline Evaluation small_evaluation(std::vector<std::string> strategies) {
  Evaluation evaluation;
  evaluation.sweeps = {small_sweep(scheduler::ProblemKind::train), small_sweep(scheduler::ProblemKind::infer),
                       small_sweep(scheduler::ProblemKind::concurrent)};
  evaluation.strategies = std::move(strategies);
  return evaluation;
}

}  // namespace fulcrum::eval

#pragma once
// One workload over a whole grid: measured where it is measured, learned everywhere else.

#include <cstddef>
#include <vector>

#include "common/error.h"
#include "scheduler/learner.h"
#include "scheduler/problem.h"

namespace fulcrum::scheduler {

// The batch sizes of a task that a problem is about: the user's for training, the allowed ones for inference.
std::vector<int> batch_sizes_of(const Problem& problem, WorkloadTask task);

struct GridPoint {
  double time_ms = 0;  // p50
  double power_w = 0;
  double time_spread = 0;  // as in LearnedPoint; 0 where it is measured
  double power_spread = 0;
  bool measured = false;
};

// For each mode of the grid, in its order, each batch size of the task.
struct LearnedGrid {
  std::vector<int> batch_sizes;
  std::vector<GridPoint> points;

  GridPoint& at(std::size_t mode, std::size_t batch) { return points[mode * batch_sizes.size() + batch]; }
  const GridPoint& at(std::size_t mode, std::size_t batch) const {
    return points[mode * batch_sizes.size() + batch];
  }
};

// From at least one sample of the task. An error is the learner's.
[[nodiscard]] Expected<LearnedGrid> learn_grid(const Problem& problem, WorkloadTask task,
                                               const std::vector<Profile>& samples, const Learner& learner,
                                               std::uint64_t seed);

}  // namespace fulcrum::scheduler

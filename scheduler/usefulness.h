#pragma once
// Which profiles would improve the answers most, over all the budgets that a user may set.
//
// A way to run (mode, batch size) is worth what it adds to the best that is measured, summed over imagined
// problems: power budgets from the least to the most that the board draws, rates up to what it can serve,
// latency budgets that allow the batches up to each size. What is learned is doubted: times and powers are
// spread by the ensemble's disagreement and by what an ensemble never knows.

#include <cstddef>
#include <vector>

#include "scheduler/learned_grid.h"
#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

struct WorkloadGrids {
  LearnedGrid training;   // empty if the problem does not train
  LearnedGrid inference;  // empty if it does not infer
};

// At most `probes` of them, each the most useful for its price once those before it are known. Fewer, or
// none, when nothing is to be gained. Depends on the problem's kind, grid, batch sizes and policy, not on its
// budgets.
std::vector<Measure> most_useful(const Problem& problem, const WorkloadGrids& grids, std::size_t probes);

}  // namespace fulcrum::scheduler

#pragma once
// GMD, gradient-descent multi-dimensional search (Fulcrum, arXiv 2509.20205; in detail searches.md section
// 2): from the middle of the grid, a binary-search step at a time on the dimension whose time changes most
// for its power. About ten modes for a problem.
//
// train: walks with the training profiles.
// infer: walks with the smallest batch size. If no mode on the way is feasible, tries the larger batch sizes
//   in turn on those that keep power and latency, fastest first.
// concurrent: takes the largest batch size whose inference keeps latency and rate in the highest mode, and
//   walks with both workloads, each step by the slopes of the one that draws more. If no mode on the way is
//   feasible, tries smaller batch sizes on those whose inference keeps up at the first, fastest first; at
//   most 25 tries.
//
// The walk depends on the profiles on it alone. The answer is the best of *all* profiles at its end: a known
// mode beside the way may be better, and has been paid for.

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kGmdName = "gmd";

class Gmd : public Strategy {
 public:
  std::string_view name() const override { return kGmdName; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
  std::size_t most_probes(const Problem& problem) const override;
};

}  // namespace fulcrum::scheduler

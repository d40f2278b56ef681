#pragma once
// BS, a baseline (searches.md section 4): from the middle of the grid a binary search for the power budget, a
// dimension at a time: CPU, GPU, cores, memory, two rounds. Seven modes on the evaluation grid.
//
// With inference the batch size is chosen first, in the highest mode, and kept.

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kBinarySearchName = "bs";

class BinarySearch : public Strategy {
 public:
  std::string_view name() const override { return kBinarySearchName; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
};

}  // namespace fulcrum::scheduler

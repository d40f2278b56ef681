#pragma once
// Every mode of the grid, every batch size: the optimum, at a price that only small grids and recorded tables
// can pay.

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kExhaustiveName = "exhaustive";

// Mode by mode in ascending order, training before inference. Batch sizes that take longer to collect than
// the latency budget are left out.
class Exhaustive : public Strategy {
 public:
  std::string_view name() const override { return kExhaustiveName; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
};

}  // namespace fulcrum::scheduler

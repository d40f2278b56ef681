#pragma once
// MAXN, a baseline (searches.md section 4): the highest mode of the grid, as a board runs that nobody tunes.

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kMaxnName = "maxn";

class Maxn : public Strategy {
 public:
  std::string_view name() const override { return kMaxnName; }
  Step next(const Problem& problem, const ProfileSet& profiles) const override;
};

}  // namespace fulcrum::scheduler

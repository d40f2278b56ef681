#pragma once
// Profiles for budgets that nobody has set yet: a portfolio, so that a later problem finds what it needs.

#include <optional>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

// The next measurement for it, by solving the problem for power budgets all over the range that the workloads
// draw, coarsely first, so that the search may end after any number of probes. None: the strategy finds
// nothing more worth measuring under any of them. The problem's own power budget plays no part.
std::optional<Measure> next_exploration(const Problem& problem, const Strategy& strategy,
                                        const ProfileSet& profiles);

}  // namespace fulcrum::scheduler

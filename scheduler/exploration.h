#pragma once
// Profiles for budgets that nobody has set yet: a portfolio, so that a later problem finds what it needs.

#include <variant>

#include "scheduler/decision.h"

namespace fulcrum::scheduler {

// The next measurement for it, by solving the problem for power budgets all over the range that the workloads
// draw, coarsely first, so that the search may end after any number of probes. NothingMore: nothing is worth
// measuring under any of them. Unadvised: it is known once the adviser knows what it says to this. The
// problem's own power budget plays no part.
std::variant<Measure, NothingMore, Unadvised> next_exploration(const Problem& problem, const Adviser& adviser,
                                                               const ProfileSet& profiles);

}  // namespace fulcrum::scheduler

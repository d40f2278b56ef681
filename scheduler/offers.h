#pragma once
// What more of a budget would buy, as far as it is profiled.

#include <vector>

#include "scheduler/candidate.h"
#include "scheduler/choice.h"

namespace fulcrum::scheduler {

// The steps by which the objective rises with one budget, the others kept: ascending by the budget, each
// better than all before it. At most `kMostOffers`, the nearest.
inline constexpr std::size_t kMostOffers = 4;
std::vector<Offer> offers(const Problem& problem, const ProfileSet& profiles, const Candidate& chosen,
                          Constraint budget);

// Another way to run, seen from the chosen one.
Alternative alternative(const Problem& problem, const Candidate& other, const Candidate& chosen);

}  // namespace fulcrum::scheduler

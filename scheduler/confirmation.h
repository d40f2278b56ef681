#pragma once
// Answers under noise: whoever looks for the best of what was measured finds, among the best, what was
// measured too good. So the answer is measured again before it is accepted.

#include <optional>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

// What to measure once more before the answer of choose() is accepted: what it rests on, until it was
// measured twice; and what would be better if it is truly inside the budgets, until it is known to be, or
// six measurements could not say so. None without Problem::noise.
std::optional<Measure> next_confirmation(const Problem& problem, const ProfileSet& profiles);

}  // namespace fulcrum::scheduler

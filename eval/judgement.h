#pragma once
// What an answer is worth, by the noise-free tables.

#include <optional>
#include <variant>

#include "eval/bench.h"
#include "eval/result.h"
#include "scheduler/candidate.h"
#include "scheduler/strategy.h"

namespace fulcrum::eval {

// Fills status, answer, optimal_value, losses and excess. `best`: the optimum of the problem, or none.
void judge(const scheduler::Problem& problem, const Bench& bench,
           const std::optional<scheduler::Candidate>& best, const scheduler::Step& end, Result& result);

}  // namespace fulcrum::eval

#pragma once
// Many problems, several strategies, all cores.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eval/bench.h"
#include "eval/noise.h"
#include "eval/result.h"
#include "scheduler/strategy.h"

namespace fulcrum::eval {

struct Sweep {
  Bench bench;
  std::vector<scheduler::Problem> problems;
  std::shared_ptr<const scheduler::SearchPriors> priors;  // null: those of the evaluation's tools
};

struct Evaluation {
  std::vector<Sweep> sweeps;
  std::vector<std::string> strategies;  // names that make_strategy() knows
  scheduler::StrategyTools tools;
  Noise noise;
  // Profiles are kept from problem to problem of a sweep, which come in an order that the seed draws. Without
  // it only strategies keep them that serve all budgets.
  bool warm = false;
  std::uint64_t seed = 1;
  unsigned jobs = 1;  // threads

  // Told after every problem of a strategy, by any thread, one at a time.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

// By sweep, then problem, then strategy; the same for any number of threads, but for the times of decisions.
[[nodiscard]] Expected<std::vector<Result>> evaluate(const Evaluation& evaluation);

}  // namespace fulcrum::eval

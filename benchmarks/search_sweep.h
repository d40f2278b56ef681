#pragma once
// A strategy over many problems, every probe answered from a table in which all modes are measured, every
// answer compared with the best of the table.

#include <vector>

#include "scheduler/strategy.h"

namespace fulcrum::benchmarks {

// The sweeps of searches.md section 6, `every` problem of them (1: all). Times of the table decide as they
// are.
std::vector<scheduler::Problem> train_problems(const scheduler::ModeGrid& grid);
std::vector<scheduler::Problem> infer_problems(const scheduler::ModeGrid& grid, int every = 1);
std::vector<scheduler::Problem> concurrent_problems(const scheduler::ModeGrid& grid, int every = 1);

struct SweepResult {
  int solvable = 0;     // some mode of the table keeps the budgets
  int solved = 0;       // and the strategy found one
  int over_budget = 0;  // answers that keep them not; never, for one that answers what it measured
  // Throughput lost, or latency added, in percent of the optimum; over the solved problems with an optimum
  // above 0.
  double median_loss_percent = 0;
  double mean_loss_percent = 0;
  // Distinct modes and probes, over the solvable problems.
  double mean_modes = 0;
  int most_modes = 0;
  double mean_probes = 0;
  int most_probes = 0;
  double mean_decision_us = 0;  // one call of next()
};

SweepResult sweep(const scheduler::Strategy& strategy, const std::vector<scheduler::Problem>& problems,
                  const scheduler::ProfileSet& table);

}  // namespace fulcrum::benchmarks

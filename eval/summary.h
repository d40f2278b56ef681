#pragma once
// How a strategy did over the problems of a sweep.

#include <cstddef>
#include <string>
#include <vector>

#include "common/json_text.h"
#include "eval/result.h"

namespace fulcrum::eval {

struct Summary {
  std::string scenario;
  std::string policy;
  std::string train_workload;  // both empty: over all sweeps of the scenario
  std::string infer_workload;
  std::string strategy;

  std::size_t problems = 0;
  std::size_t solvable = 0;
  std::size_t solved = 0;
  std::size_t missed = 0;
  std::size_t violations = 0;
  std::size_t violations_beyond_1_pct = 0;  // of a budget

  double median_loss_pct = 0;  // over the solved whose optimum is above 0
  double mean_loss_pct = 0;

  // Measured for a problem, over the solvable ones.
  double median_profiles = 0;
  double mean_profiles = 0;
  int most_profiles = 0;
  double median_modes = 0;
  double mean_modes = 0;
  std::size_t total_profiles = 0;  // over all problems

  double median_decision_ms = 0;

  std::string shown_scenario() const;  // "concurrent, slack"
  std::string workloads() const;       // "resnet + mobilenet"
  Json to_json() const;
};

// By scenario and workloads, then strategy, in the order of their first results; where a scenario has several
// workloads, followed by one over all of them.
std::vector<Summary> summarize(const std::vector<Result>& results);

// A table for people.
std::string render(const std::vector<Summary>& summaries);

}  // namespace fulcrum::eval

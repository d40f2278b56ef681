#pragma once
// What one policy gives over another: the same problems, once under each.

#include <cstddef>
#include <string>
#include <vector>

#include "common/json_text.h"
#include "eval/result.h"

namespace fulcrum::eval {

// Training minibatches per second under `slack` over those under `managed`, where the latter are above 0.
struct PolicyGain {
  std::string train_workload;
  std::string infer_workload;
  std::string of;  // "optimum", or the strategy whose answers are compared
  std::size_t problems = 0;
  double geometric_mean = 1;
  double least = 1;

  Json to_json() const;
};

// For each pair of workloads: the optima first, then the strategies. Empty unless there are results under
// both.
std::vector<PolicyGain> policy_gains(const std::vector<Result>& results);

// A table for people; empty for none.
std::string render(const std::vector<PolicyGain>& gains);

}  // namespace fulcrum::eval

#pragma once
// From measured step times in one power mode to a plan: the batch size of each inference job and tau, the
// training minibatches of a window. Pure.

#include <string>
#include <vector>

#include "common/error.h"
#include "scheduler/plan.h"

namespace fulcrum::scheduler {

struct InferenceDemand {
  JobId job = 0;
  std::string name;
  double arrival_rate_hz = 0;
  double latency_budget_ms = 0;
  std::vector<StepTime> step_times;  // of the batch sizes allowed, ascending; not empty
};

struct TrainingDemand {
  JobId job = 0;
  std::string name;
  StepTime step_time;
};

struct PlanRequest {
  std::vector<InferenceDemand> inference;
  std::vector<TrainingDemand> training;
  double margin_ms = 0;
};

// `managed` policy, searches.md section 1, with p99 times in place of means. One inference job: of the batch
// sizes with w + t_in <= L and t_in <= w the one with the most training throughput tau / w, tau = floor((w -
// t_in) / t_tr), ties to the smaller t_in. Several: of the combinations of such sizes in which every job
// keeps its deadlines beside the others (demand_bound.h) the one that leaves most to training (smallest sum
// t_in_j / w_j), and tau = floor(W (1 - sum t_in_j / w_j) / t_tr) for W = 1000 sum b_j / sum a_j, the window
// of a batch of each. A job whose budget no size meets gets the size with the smallest latency, and a warning
// that says by how much it misses; so does one whose deadlines no combination keeps.
Plan make_managed_plan(const PlanRequest& request);

}  // namespace fulcrum::scheduler

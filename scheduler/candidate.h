#pragma once
// One way to run that is known from profiles: what it would give, and which budgets it keeps (searches.md
// section 1). Shared by the choice and by the searches, so that they cannot disagree.

#include <functional>
#include <tuple>

#include "scheduler/problem.h"

namespace fulcrum::scheduler {

struct Candidate {
  const Profile* training = nullptr;   // null when the problem does not train
  const Profile* inference = nullptr;  // null when it does not infer
  double power_w = 0;                  // of the two the higher
  double train_step_ms = 0;
  double inference_ms = 0;
  double window_ms = 0;
  double latency_ms = 0;  // w + t_in
  double due_ms = 0;      // t_in; of several jobs together, longer where their deadlines need more
  // With the margin for measurements that are off (Problem::noise).
  double power_at_most_w = 0;
  double latency_at_most_ms = 0;
  int training_per_window = 0;  // tau under `managed`; under `slack` what fits into some windows and not all
  double train_throughput_hz = 0;

  // By the values with their margins.
  bool power_met = false;
  bool latency_met = false;
  bool stable = false;  // t_in <= w; of several jobs together: no deadline is missed
  bool feasible() const { return power_met && latency_met && stable; }
  // Every budget is kept if the measurements are right as they are.
  bool hopeful = false;

  const PowerMode& mode() const { return training != nullptr ? training->mode : inference->mode; }
  int batch_size() const { return inference != nullptr ? inference->batch_size : 0; }
};

// The profiles that the problem's kind asks for, of one mode.
Candidate make_candidate(const Problem& problem, const Profile* training, const Profile* inference);

// Every way to run that is profiled, inside the grid and the allowed batch sizes, ascending by mode.
void for_each_candidate(const Problem& problem, const ProfileSet& profiles,
                        const std::function<void(const Candidate&)>& visit);

// What is maximised or minimised: minibatches per second, or for infer ms of latency.
double objective(const Problem& problem, const Candidate& candidate);

// By how much a's objective is better (> 0) or worse (< 0) than b's.
double gain(const Problem& problem, const Candidate& a, const Candidate& b);

// Smaller is better. Ties in the objective go to the shorter inference, then to less power, then to the lower
// mode and batch size.
using Rank = std::tuple<double, double, double, PowerMode, int>;
Rank rank(const Problem& problem, const Candidate& candidate);

}  // namespace fulcrum::scheduler

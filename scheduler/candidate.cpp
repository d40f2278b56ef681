#include "scheduler/candidate.h"

#include <algorithm>
#include <cmath>

namespace fulcrum::scheduler {

namespace {

int minibatches_in(double free_ms, double step_ms) {
  if (free_ms <= 0) return 0;
  // A quotient that misses a whole number by rounding is that number.
  return static_cast<int>(std::min(std::floor(free_ms / step_ms + 1e-9), 1e6));
}

bool allowed(const Problem& problem, int batch_size) {
  const auto& sizes = problem.inference_batch_sizes;
  return std::binary_search(sizes.begin(), sizes.end(), batch_size);
}

}  // namespace

Candidate make_candidate(const Problem& problem, const Profile* training, const Profile* inference) {
  Candidate c;
  c.training = training;
  c.inference = inference;
  c.latency_met = true;
  c.stable = true;
  if (training != nullptr) {
    c.train_step_ms = problem.time_ms(*training);
    c.power_w = training->power_w;
    c.train_throughput_hz = 1000.0 / c.train_step_ms;
  }
  if (inference != nullptr) {
    c.inference_ms = problem.time_ms(*inference);
    c.power_w = std::max(c.power_w, inference->power_w);
    c.window_ms = problem.window_ms(inference->batch_size);
    c.latency_ms = c.window_ms + c.inference_ms;
    c.latency_met = c.latency_ms <= problem.latency_budget_ms;
    c.stable = c.inference_ms <= c.window_ms;
  }
  if (training != nullptr && inference != nullptr) {
    c.training_per_window = minibatches_in(c.window_ms - c.inference_ms, c.train_step_ms);
    c.train_throughput_hz = c.training_per_window * problem.arrival_rate_hz / inference->batch_size;
  }
  c.power_met = problem.inside_power(c.power_w);
  return c;
}

void for_each_candidate(const Problem& problem, const ProfileSet& profiles,
                        const std::function<void(const Candidate&)>& visit) {
  const auto inference_begin = profiles.begin(WorkloadTask::inference);
  if (!problem.infers()) {
    for (auto it = profiles.begin(); it != inference_begin; ++it) {
      const Profile& training = it->second;
      if (training.batch_size != problem.training_batch_size || !problem.grid.contains(training.mode))
        continue;
      visit(make_candidate(problem, &training, nullptr));
    }
    return;
  }
  for (auto it = inference_begin; it != profiles.end(); ++it) {
    const Profile& inference = it->second;
    if (!allowed(problem, inference.batch_size) || !problem.grid.contains(inference.mode)) continue;
    const Profile* training = nullptr;
    if (problem.trains()) {
      training = profiles.find(WorkloadTask::training, inference.mode, problem.training_batch_size);
      if (training == nullptr) continue;
    }
    visit(make_candidate(problem, training, &inference));
  }
}

double objective(const Problem& problem, const Candidate& candidate) {
  return problem.kind == ProblemKind::infer ? candidate.latency_ms : candidate.train_throughput_hz;
}

Rank rank(const Problem& problem, const Candidate& candidate) {
  double first = 0;
  switch (problem.kind) {
    case ProblemKind::train:
      first = candidate.train_step_ms;
      break;
    case ProblemKind::infer:
      first = candidate.latency_ms;
      break;
    case ProblemKind::concurrent:  // tau / b, so that equal shares of different batches compare equal
      first = -static_cast<double>(candidate.training_per_window) / candidate.batch_size();
      break;
  }
  return {first, candidate.inference_ms, candidate.power_w, candidate.mode(), candidate.batch_size()};
}

}  // namespace fulcrum::scheduler

#include "scheduler/candidate.h"

#include <algorithm>
#include <cmath>

#include "scheduler/slack.h"

namespace fulcrum::scheduler {

namespace {

// Training minibatches in a window of inference; under `managed` a whole number.
double training_in_window(const Problem& problem, const Candidate& c) {
  if (c.inference->together &&
      c.train_step_ms > problem.longest_training_ms(c.inference->together->one_of_each_ms))
    return 0;
  if (problem.policy == Policy::managed) return minibatches_in(c.window_ms - c.inference_ms, c.train_step_ms);
  // Where minibatches fit between the batches of several jobs they fill all the time that is left.
  if (c.inference->together) return (c.window_ms - c.inference_ms) / c.train_step_ms;
  const double slack =
      slack_ms(problem.latency_budget_ms, problem.arrival_rate_hz, c.inference->batch_size, c.inference_ms);
  return std::min<double>(
      kMostMinibatches, slack_minibatches_per_window({c.window_ms, c.inference_ms, c.train_step_ms, slack}));
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
  for (const auto* profile : {training, inference}) {
    if (profile == nullptr) continue;
    c.power_w = std::max(c.power_w, profile->power_w);
    c.power_at_most_w =
        std::max(c.power_at_most_w, with_guard(profile->power_w, problem.noise.power, profile->measurements));
  }
  c.power_met = problem.inside_power(c.power_at_most_w);
  c.hopeful = problem.inside_power(c.power_w);
  if (training != nullptr) {
    c.train_step_ms = problem.time_ms(*training);
    c.train_throughput_hz = 1000.0 / c.train_step_ms;
  }
  if (inference != nullptr) {
    c.inference_ms = problem.time_ms(*inference);
    c.window_ms = problem.window_ms(inference->batch_size);
    c.latency_ms = c.window_ms + c.inference_ms;
    const auto at_most = [&](double ms) {
      return with_guard(ms, problem.noise.time, inference->measurements);
    };
    c.due_ms = inference->together ? std::max(c.inference_ms, inference->together->due_ms) : c.inference_ms;
    c.latency_at_most_ms = c.window_ms + at_most(c.inference_ms);
    c.latency_met = c.latency_at_most_ms <= problem.latency_budget_ms;
    c.stable = at_most(c.due_ms) <= c.window_ms;
    c.hopeful = c.hopeful && c.latency_ms <= problem.latency_budget_ms && c.due_ms <= c.window_ms;
  }
  if (training != nullptr && inference != nullptr) {
    const double fit = training_in_window(problem, c);
    c.training_per_window = static_cast<int>(fit);
    c.train_throughput_hz = fit * problem.arrival_rate_hz / inference->batch_size;
  }
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

double gain(const Problem& problem, const Candidate& a, const Candidate& b) {
  const double change = objective(problem, a) - objective(problem, b);
  return problem.kind == ProblemKind::infer ? -change : change;
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
    case ProblemKind::concurrent:
      // Under `managed` as tau / b, so that equal shares of different batches compare equal.
      first = problem.policy == Policy::managed
                  ? -static_cast<double>(candidate.training_per_window) / candidate.batch_size()
                  : -candidate.train_throughput_hz;
      break;
  }
  return {first, candidate.inference_ms, candidate.power_w, candidate.mode(), candidate.batch_size()};
}

}  // namespace fulcrum::scheduler

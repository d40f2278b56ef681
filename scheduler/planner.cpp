#include "scheduler/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace fulcrum::scheduler {

namespace {

struct Candidate {
  const StepTime* step = nullptr;
  double window_ms = 0;
  double latency_ms() const { return window_ms + step->p99_ms; }
  double demand() const { return step->p99_ms / window_ms; }  // share of the device
};

std::vector<Candidate> candidates_of(const InferenceDemand& demand) {
  std::vector<Candidate> candidates;
  for (const auto& step : demand.step_times) {
    candidates.push_back({&step, 1000.0 * step.batch_size / demand.arrival_rate_hz});
  }
  return candidates;
}

bool meets(const Candidate& c, const InferenceDemand& demand) {
  return c.latency_ms() <= demand.latency_budget_ms && c.step->p99_ms <= c.window_ms;
}

int minibatches_in(double free_ms, double step_ms) {
  if (!(step_ms > 0) || free_ms <= 0) return 0;
  // A quotient that misses a whole number by rounding is that number.
  return static_cast<int>(std::min(std::floor(free_ms / step_ms + 1e-9), 1e6));
}

double slowest_training_step_ms(const std::vector<TrainingDemand>& training) {
  double slowest = 0;
  for (const auto& t : training)
    slowest = std::max(slowest, t.step_time.p99_ms);
  return slowest;
}

// Smaller is better.
std::tuple<double, double> rank(const Candidate& c, bool alone, double training_step_ms) {
  if (!alone || training_step_ms <= 0) return {c.demand(), c.step->p99_ms};
  const double throughput = minibatches_in(c.window_ms - c.step->p99_ms, training_step_ms) / c.window_ms;
  return {-throughput, c.step->p99_ms};
}

InferenceShare choose_batch(const InferenceDemand& demand, bool alone, double training_step_ms) {
  const Candidate* best = nullptr;
  const auto candidates = candidates_of(demand);
  for (const auto& c : candidates) {
    if (!meets(c, demand)) continue;
    if (best == nullptr || rank(c, alone, training_step_ms) < rank(*best, alone, training_step_ms)) best = &c;
  }
  InferenceShare share;
  if (best == nullptr) {
    best = &*std::min_element(
        candidates.begin(), candidates.end(),
        [](const Candidate& a, const Candidate& b) { return a.latency_ms() < b.latency_ms(); });
    share.warning =
        best->step->p99_ms > best->window_ms
            ? fmt::format("overload: a batch of {} takes {:.1f} ms and requests for one arrive in {:.1f} ms",
                          best->step->batch_size, best->step->p99_ms, best->window_ms)
            : fmt::format("the budget of {:.1f} ms is too small: the smallest latency is {:.1f} ms",
                          demand.latency_budget_ms, best->latency_ms());
  }
  share.job = demand.job;
  share.name = demand.name;
  share.batch_size = best->step->batch_size;
  share.arrival_rate_hz = demand.arrival_rate_hz;
  share.window_ms = best->window_ms;
  share.latency_budget_ms = demand.latency_budget_ms;
  share.expected_latency_ms = best->latency_ms();
  share.step_times = demand.step_times;
  return share;
}

void share_window(Plan& plan, double training_step_ms) {
  double window = std::numeric_limits<double>::infinity();
  double demand = 0;
  for (const auto& share : plan.inference) {
    window = std::min(window, share.window_ms);
    demand += step_time_for(share.step_times, share.batch_size).p99_ms / share.window_ms;
  }
  plan.window_ms = window;
  if (demand > 1) {
    for (auto& share : plan.inference) {
      if (share.warning.empty()) {
        share.warning =
            fmt::format("overload: the inference jobs together need {:.0f} % of the device", 100 * demand);
      }
    }
  }
  if (plan.training.empty()) return;
  plan.training_per_window = minibatches_in(window * (1 - demand), training_step_ms);
  plan.expected_train_minibatches_per_s = *plan.training_per_window * 1000.0 / window;
}

// A minibatch may start only if it ends before a request that arrives now must be taken up (next_slice).
void warn_of_starvation(Plan& plan) {
  double demand_ms = 0;
  for (const auto& share : plan.inference) {
    demand_ms += step_time_for(share.step_times, share.batch_size).p99_ms;
  }
  for (const auto& share : plan.inference) {
    const double gap_ms = share.latency_budget_ms - plan.margin_ms - demand_ms;
    for (auto& training : plan.training) {
      if (training.step_time.p99_ms > gap_ms) {
        training.warning =
            fmt::format("starved: a minibatch takes {:.1f} ms, the budget of '{}' leaves {:.1f} ms",
                        training.step_time.p99_ms, share.name, std::max(gap_ms, 0.0));
      } else if (plan.training_per_window == 0 && training.warning.empty()) {
        training.warning = fmt::format("starved: no minibatch of {:.1f} ms fits into a window of {:.1f} ms",
                                       training.step_time.p99_ms, plan.window_ms);
      }
    }
  }
}

}  // namespace

Plan make_managed_plan(const PlanRequest& request) {
  Plan plan;
  plan.margin_ms = request.margin_ms;
  const double training_step_ms = slowest_training_step_ms(request.training);
  for (const auto& t : request.training)
    plan.training.push_back({t.job, t.name, t.step_time, {}});
  for (const auto& demand : request.inference) {
    plan.inference.push_back(choose_batch(demand, request.inference.size() == 1, training_step_ms));
  }
  if (!plan.inference.empty()) {
    share_window(plan, training_step_ms);
    warn_of_starvation(plan);
  } else if (training_step_ms > 0) {
    plan.expected_train_minibatches_per_s = 1000.0 / training_step_ms;
  }
  return plan;
}

}  // namespace fulcrum::scheduler

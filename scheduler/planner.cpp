#include "scheduler/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

#include "scheduler/demand_bound.h"
#include "scheduler/slack.h"

namespace fulcrum::scheduler {

namespace {

struct BatchOption {
  const StepTime* step = nullptr;
  double window_ms = 0;
  double latency_ms() const { return window_ms + step->p99_ms; }
  double demand() const { return step->p99_ms / window_ms; }  // share of the device
};

std::vector<BatchOption> batch_options(const InferenceDemand& demand) {
  std::vector<BatchOption> all;
  for (const auto& step : demand.step_times) {
    all.push_back({&step, 1000.0 * step.batch_size / demand.arrival_rate_hz});
  }
  return all;
}

bool meets(const BatchOption& c, const InferenceDemand& demand) {
  return c.latency_ms() <= demand.latency_budget_ms && c.step->p99_ms <= c.window_ms;
}

double slowest_training_step_ms(const std::vector<TrainingDemand>& training) {
  double slowest = 0;
  for (const auto& t : training)
    slowest = std::max(slowest, t.step_time.p99_ms);
  return slowest;
}

// The sizes that keep the job's budget on a device of its own; without one, that with the smallest latency.
struct Options {
  std::vector<BatchOption> sizes;
  bool any_keeps = false;
};

Options options_of(const InferenceDemand& demand) {
  const auto all = batch_options(demand);
  Options options;
  std::copy_if(all.begin(), all.end(), std::back_inserter(options.sizes),
               [&demand](const BatchOption& c) { return meets(c, demand); });
  options.any_keeps = !options.sizes.empty();
  if (!options.any_keeps) {
    options.sizes.push_back(*std::min_element(
        all.begin(), all.end(),
        [](const BatchOption& a, const BatchOption& b) { return a.latency_ms() < b.latency_ms(); }));
  }
  return options;
}

// Smaller is better.
std::tuple<double, double> rank(const BatchOption& c, double training_step_ms) {
  if (training_step_ms <= 0) return {c.demand(), c.step->p99_ms};
  const double throughput = minibatches_in(c.window_ms - c.step->p99_ms, training_step_ms) / c.window_ms;
  return {-throughput, c.step->p99_ms};
}

BatchOption best_alone(const Options& options, double training_step_ms) {
  return *std::min_element(options.sizes.begin(), options.sizes.end(),
                           [training_step_ms](const BatchOption& a, const BatchOption& b) {
                             return rank(a, training_step_ms) < rank(b, training_step_ms);
                           });
}

std::string why_missed(const BatchOption& best, const InferenceDemand& demand) {
  if (best.step->p99_ms > best.window_ms) {
    return fmt::format("overload: a batch of {} takes {:.1f} ms and requests for one arrive in {:.1f} ms",
                       best.step->batch_size, best.step->p99_ms, best.window_ms);
  }
  return fmt::format("the budget of {:.1f} ms is too small: the smallest latency is {:.1f} ms",
                     demand.latency_budget_ms, best.latency_ms());
}

InferenceShare share_of(const InferenceDemand& demand, const BatchOption& c) {
  InferenceShare share;
  share.job = demand.job;
  share.name = demand.name;
  share.batch_size = c.step->batch_size;
  share.arrival_rate_hz = demand.arrival_rate_hz;
  share.window_ms = c.window_ms;
  share.latency_budget_ms = demand.latency_budget_ms;
  share.expected_latency_ms = c.latency_ms();
  share.step_times = demand.step_times;
  return share;
}

// A size for each of several jobs. Of the combinations in which every deadline is kept, the one that needs
// least of the device; without one, the one that comes nearest.
class Combination {
 public:
  Combination(const std::vector<InferenceDemand>& demands, std::vector<Options> options)
      : demands_(demands), options_(std::move(options)) {
    for (auto& of_job : options_) {
      std::sort(of_job.sizes.begin(), of_job.sizes.end(),
                [](const BatchOption& a, const BatchOption& b) { return a.demand() < b.demand(); });
    }
    descend(0, 0);
  }

  const std::vector<BatchOption>& sizes() const { return best_; }

  // Empty unless the deadlines of the job, with a size that would keep its budget alone, may be missed.
  std::string warning(std::size_t job) const {
    if (!options_[job].any_keeps || best_bound_.worst[job] <= kAll) return {};
    return fmt::format(
        "the budget of {:.1f} ms may be missed: with the other inference jobs' batches up to "
        "{:.0f} % of the time before a deadline is needed",
        demands_[job].latency_budget_ms, 100 * best_bound_.worst[job]);
  }

 private:
  static constexpr double kAll = 1 + 1e-9;
  static constexpr int kMostTried = 700;  // all of four jobs with five sizes; the daemon waits for it

  void descend(std::size_t job, double demand) {
    if (job == options_.size()) return weigh();
    for (const auto& size : options_[job].sizes) {
      const bool no_better = least_excess_ <= kAll && demand + size.demand() >= best_bound_.demand;
      if (no_better || tried_ >= kMostTried) return;
      chosen_.push_back(size);
      descend(job + 1, demand + size.demand());
      chosen_.pop_back();
    }
  }

  void weigh() {
    ++tried_;
    std::vector<UrgentTask> tasks;
    tasks.reserve(chosen_.size());
    for (std::size_t job = 0; job < chosen_.size(); ++job) {
      const auto& c = chosen_[job];
      tasks.push_back({c.window_ms, c.step->p99_ms, demands_[job].latency_budget_ms - c.window_ms});
    }
    auto bound = demand_bound(tasks);
    double excess = bound.demand;
    for (std::size_t job = 0; job < chosen_.size(); ++job) {
      if (options_[job].any_keeps) excess = std::max(excess, bound.worst[job]);
    }
    const auto rank_of = [](double e, double demand) { return std::tuple(std::max(e, kAll), demand); };
    if (!best_.empty() && !(rank_of(excess, bound.demand) < rank_of(least_excess_, best_bound_.demand)))
      return;
    least_excess_ = excess;
    best_ = chosen_;
    best_bound_ = std::move(bound);
  }

  const std::vector<InferenceDemand>& demands_;
  std::vector<Options> options_;
  std::vector<BatchOption> chosen_;
  int tried_ = 0;
  double least_excess_ = std::numeric_limits<double>::infinity();
  std::vector<BatchOption> best_;
  DemandBound best_bound_;
};

void add_inference(Plan& plan, const std::vector<InferenceDemand>& demands, double training_step_ms) {
  std::vector<Options> options;
  std::transform(demands.begin(), demands.end(), std::back_inserter(options), options_of);
  std::vector<BatchOption> sizes;
  std::vector<std::string> warnings(demands.size());
  if (demands.size() == 1) {
    sizes.push_back(best_alone(options.front(), training_step_ms));
  } else {
    const Combination together(demands, options);
    sizes = together.sizes();
    for (std::size_t job = 0; job < demands.size(); ++job)
      warnings[job] = together.warning(job);
  }
  for (std::size_t job = 0; job < demands.size(); ++job) {
    plan.inference.push_back(share_of(demands[job], sizes[job]));
    plan.inference.back().warning =
        options[job].any_keeps ? std::move(warnings[job]) : why_missed(sizes[job], demands[job]);
  }
}

void share_window(Plan& plan, double training_step_ms) {
  double samples = 0;
  double rate_hz = 0;
  double demand = 0;
  for (const auto& share : plan.inference) {
    samples += share.batch_size;
    rate_hz += share.arrival_rate_hz;
    demand += step_time_for(share.step_times, share.batch_size).p99_ms / share.window_ms;
  }
  const double window = 1000.0 * samples / rate_hz;
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
  if (!request.inference.empty()) {
    add_inference(plan, request.inference, training_step_ms);
    share_window(plan, training_step_ms);
    warn_of_starvation(plan);
  } else if (training_step_ms > 0) {
    plan.expected_train_minibatches_per_s = 1000.0 / training_step_ms;
  }
  return plan;
}

}  // namespace fulcrum::scheduler

// The slicer and the planner together, run forward on a device of virtual time.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "scheduler/arrival_process.h"
#include "scheduler/planner.h"
#include "scheduler/slicer.h"

namespace fulcrum::scheduler {
namespace {

struct Run {
  double worst_latency_ms = 0;
  double worst_part_of_budget = 0;  // latency over budget, of any job
  int served = 0;
  int trained = 0;
};

// Where requests of one job come from.
struct Source {
  JobId job = 0;
  ArrivalProcess arrivals;
  Duration first{};  // after the start
};

// Steps last exactly their p99; the device does one thing at a time.
class Device {
 public:
  Device(Plan plan, const std::vector<Source>& sources) : plan_(std::move(plan)) {
    for (const auto& source : sources) {
      lines_.push_back({source, {}, {}});
      advance(lines_.back());
    }
  }
  Device(Plan plan, const ArrivalProcess& arrivals)
      : Device(std::move(plan), std::vector<Source>{{1, arrivals, {}}}) {}

  Run run(Duration length) {
    const TimePoint end = start_ + length;
    while (now_ < end) {
      bool any_waits = false;
      for (auto& line : lines_) {
        while (line.next <= now_) {
          line.waiting.push_back(line.next);
          advance(line);
        }
        any_waits = any_waits || !line.waiting.empty();
      }
      window_.roll(now_, from_ms(plan_.window_ms), any_waits);
      step(next_slice(queues(), plan_, now_));
    }
    return run_;
  }

 private:
  struct Line {
    Source source;
    TimePoint next;
    std::deque<TimePoint> waiting;
  };

  void advance(Line& line) { line.next = start_ + line.source.first + line.source.arrivals.next(); }

  Queues queues() const {
    Queues q;
    for (const auto& line : lines_) {
      const auto& w = line.waiting;
      q.inference.push_back({line.source.job, w.size(), w.empty() ? TimePoint{} : w.front()});
    }
    for (const auto& share : plan_.training)
      q.training.push_back({share.job, true, 0});
    q.trained_in_window = window_.trained();
    q.window_end = window_.end();
    return q;
  }

  void serve(const RunInference& order) {
    const auto& share = *std::find_if(plan_.inference.begin(), plan_.inference.end(),
                                      [&order](const auto& s) { return s.job == order.job; });
    auto& line = *std::find_if(lines_.begin(), lines_.end(),
                               [&order](const auto& l) { return l.source.job == order.job; });
    window_.inference_started(now_);
    now_ += from_ms(step_time_for(share.step_times, order.batch).p99_ms);
    for (int i = 0; i < order.batch; ++i) {
      const double latency_ms = to_ms(now_ - line.waiting.front());
      run_.worst_latency_ms = std::max(run_.worst_latency_ms, latency_ms);
      run_.worst_part_of_budget = std::max(run_.worst_part_of_budget, latency_ms / share.latency_budget_ms);
      line.waiting.pop_front();
      ++run_.served;
    }
  }

  void step(const Slice& slice) {
    if (const auto* inference = std::get_if<RunInference>(&slice)) {
      serve(*inference);
    } else if (std::get_if<RunTraining>(&slice) != nullptr) {
      window_.training_started();
      now_ += from_ms(plan_.training.front().step_time.p99_ms);
      ++run_.trained;
    } else {
      now_ = std::get<Wait>(slice).until.value_or(TimePoint::max());
      for (const auto& line : lines_)
        now_ = std::min(now_, line.next);
    }
  }

  Plan plan_;
  std::vector<Line> lines_;
  TrainingWindow window_;
  const TimePoint start_{std::chrono::seconds(10)};
  TimePoint now_ = start_;
  Run run_;
};

Plan feasible_plan(double rate, double budget, double step, double training_step) {
  const std::vector<StepTime> times{{1, step, step}, {4, 2 * step, 2 * step}, {16, 4 * step, 4 * step}};
  return make_managed_plan(
      {{{1, "camera", rate, budget, times}}, {{2, "fashion", {16, training_step, training_step}}}, 0});
}

TEST(SlicerInVirtualTime, TrainsWhatThePlanPromises) {
  const auto plan = feasible_plan(60, 100, 3, 8);
  ASSERT_GT(plan.training_per_window, 0);
  Device device(plan, *ArrivalProcess::make("periodic", 60, 1));
  const auto run = device.run(std::chrono::seconds(1000));
  EXPECT_NEAR(run.trained / 1000.0, plan.expected_train_minibatches_per_s,
              plan.expected_train_minibatches_per_s * 0.01);
}

RC_GTEST_PROP(SlicerInVirtualTime, PeriodicRequestsAreNeverLate, ()) {
  const double rate = *rc::gen::inRange(5, 120);
  const double budget = *rc::gen::inRange(40, 1000);
  const double step = *rc::gen::inRange(1, 20);
  const double training_step = *rc::gen::inRange(1, 60);
  const auto plan = feasible_plan(rate, budget, step, training_step);
  RC_PRE(plan.inference.front().warning.empty());
  Device device(plan, *ArrivalProcess::make("periodic", rate, 1));
  const auto run = device.run(std::chrono::seconds(20));
  RC_ASSERT(run.served > 0);
  RC_ASSERT(run.worst_latency_ms <= budget + 1e-3);
}

// Whatever the rates, budgets and phases: what the plan promises to several jobs and to training beside them
// is kept.
RC_GTEST_PROP(SlicerInVirtualTime, PeriodicRequestsOfSeveralJobsAreNeverLate, ()) {
  PlanRequest request;
  std::vector<Source> sources;
  const int jobs = *rc::gen::inRange(2, 4);
  for (JobId job = 1; job <= jobs; ++job) {
    const double rate = *rc::gen::inRange(1, 25);
    const double step = *rc::gen::inRange(1, 10);
    const double budget = 1000 / rate + *rc::gen::inRange(20, 600);
    request.inference.push_back(
        {job, "camera", rate, budget, {{1, step, step}, {4, 2 * step, 2 * step}, {16, 4 * step, 4 * step}}});
    sources.push_back({job, *ArrivalProcess::make("periodic", rate, 1), from_ms(*rc::gen::inRange(0, 500))});
  }
  const double training_step = *rc::gen::inRange(1, 60);
  request.training = {{9, "fashion", {16, training_step, training_step}}};
  const auto plan = make_managed_plan(request);
  for (const auto& share : plan.inference)
    RC_PRE(share.warning.empty());
  const auto run = Device(plan, sources).run(std::chrono::seconds(20));
  RC_CLASSIFY(run.trained > 0, "trained");
  // One minibatch may not have ended yet.
  if (plan.training.front().warning.empty())
    RC_ASSERT(run.trained + 1 >= .98 * 20 * plan.expected_train_minibatches_per_s);
  RC_ASSERT(run.served > 0);
  RC_ASSERT(run.worst_part_of_budget <= 1 + 1e-6);
}

TEST(SlicerInVirtualTime, PoissonRequestsAreInTimeAtModestLoad) {
  const auto plan = feasible_plan(60, 100, 3, 8);
  Device device(plan, *ArrivalProcess::make("poisson", 60, 1));
  const auto run = device.run(std::chrono::seconds(1000));
  EXPECT_GT(run.served, 59'000);
  EXPECT_LE(run.worst_latency_ms, 100 + 1e-3);
}

}  // namespace
}  // namespace fulcrum::scheduler

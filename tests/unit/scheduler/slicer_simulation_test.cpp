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
  int served = 0;
  int trained = 0;
};

// Steps last exactly their p99; the device does one thing at a time.
class Device {
 public:
  Device(Plan plan, ArrivalProcess arrivals) : plan_(std::move(plan)), arrivals_(std::move(arrivals)) {
    next_ = start_ + arrivals_.next();
  }

  Run run(Duration length) {
    const TimePoint end = start_ + length;
    while (now_ < end) {
      while (next_ <= now_) {
        waiting_.push_back(next_);
        next_ = start_ + arrivals_.next();
      }
      window_.roll(now_, from_ms(plan_.window_ms), !waiting_.empty());
      step(next_slice(queues(), plan_, now_));
    }
    return run_;
  }

 private:
  Queues queues() const {
    Queues q;
    q.inference.push_back({1, waiting_.size(), waiting_.empty() ? TimePoint{} : waiting_.front()});
    q.training.push_back({2, true, 0});
    q.trained_in_window = window_.trained();
    q.window_end = window_.end();
    return q;
  }

  void step(const Slice& slice) {
    if (const auto* inference = std::get_if<RunInference>(&slice)) {
      window_.inference_started(now_);
      now_ += from_ms(step_time_for(plan_.inference.front().step_times, inference->batch).p99_ms);
      for (int i = 0; i < inference->batch; ++i) {
        run_.worst_latency_ms = std::max(run_.worst_latency_ms, to_ms(now_ - waiting_.front()));
        waiting_.pop_front();
        ++run_.served;
      }
    } else if (std::get_if<RunTraining>(&slice) != nullptr) {
      window_.training_started();
      now_ += from_ms(plan_.training.front().step_time.p99_ms);
      ++run_.trained;
    } else {
      const auto until = std::get<Wait>(slice).until;
      now_ = until ? std::min(*until, next_) : next_;
    }
  }

  Plan plan_;
  ArrivalProcess arrivals_;
  TrainingWindow window_;
  const TimePoint start_{std::chrono::seconds(10)};
  TimePoint now_ = start_;
  TimePoint next_;
  std::deque<TimePoint> waiting_;
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

TEST(SlicerInVirtualTime, PoissonRequestsAreInTimeAtModestLoad) {
  const auto plan = feasible_plan(60, 100, 3, 8);
  Device device(plan, *ArrivalProcess::make("poisson", 60, 1));
  const auto run = device.run(std::chrono::seconds(1000));
  EXPECT_GT(run.served, 59'000);
  EXPECT_LE(run.worst_latency_ms, 100 + 1e-3);
}

}  // namespace
}  // namespace fulcrum::scheduler

#include "scheduler/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>

namespace fulcrum::scheduler {
namespace {

InferenceDemand camera(double rate_hz, double budget_ms, std::vector<StepTime> times) {
  return {1, "camera", rate_hz, budget_ms, std::move(times)};
}
TrainingDemand training(double step_ms) {
  return {2, "fashion", {16, step_ms, step_ms}};
}

TEST(ManagedPlan, TauIsWhatFitsBetweenTwoBatches) {
  // w = 1000 * 4 / 60 = 66.7 ms; (66.7 - 10) / 9 = 6.3
  const auto plan = make_managed_plan({{camera(60, 100, {{4, 9, 10}})}, {training(9)}, 5});
  EXPECT_EQ(plan.training_per_window, 6);
  EXPECT_NEAR(plan.expected_train_minibatches_per_s, 6 * 60 / 4.0, 1e-9);
  EXPECT_NEAR(plan.inference.front().expected_latency_ms, 76.67, 0.01);
  EXPECT_EQ(plan.margin_ms, 5);
}

TEST(ManagedPlan, TakesTheBatchWithTheMostTraining) {
  // b = 1: w = 16.7, tau = 1 -> 60/s. b = 4: w = 66.7, tau = 6 -> 90/s. b = 16: w = 267 > L.
  const auto plan =
      make_managed_plan({{camera(60, 100, {{1, 3, 4}, {4, 9, 10}, {16, 30, 31}})}, {training(9)}, 5});
  EXPECT_EQ(plan.inference.front().batch_size, 4);
}

TEST(ManagedPlan, BreaksTiesByTheShorterStep) {
  // Nothing to train with: every size allows tau = 0.
  const auto plan = make_managed_plan({{camera(10, 1000, {{1, 3, 4}, {4, 9, 10}})}, {training(900)}, 5});
  EXPECT_EQ(plan.training_per_window, 0);
  EXPECT_EQ(plan.inference.front().batch_size, 1);
  EXPECT_NE(plan.training.front().warning.find("starved"), std::string::npos);
}

TEST(ManagedPlan, TrainsAllTheTimeWhenAlone) {
  const auto plan = make_managed_plan({{}, {training(8)}, 5});
  EXPECT_EQ(plan.training_per_window, std::nullopt);
  EXPECT_EQ(plan.window_ms, 0);
  EXPECT_NEAR(plan.expected_train_minibatches_per_s, 125, 1e-9);
}

TEST(ManagedPlan, SaysByHowMuchABudgetIsMissed) {
  const auto plan = make_managed_plan({{camera(60, 10, {{1, 3, 4}, {4, 9, 10}})}, {}, 5});
  EXPECT_EQ(plan.inference.front().batch_size, 1) << "the smallest latency";
  EXPECT_EQ(plan.inference.front().warning,
            "the budget of 10.0 ms is too small: the smallest latency is 20.7 ms");
}

TEST(ManagedPlan, SaysThatADeviceIsOverloaded) {
  const auto one = make_managed_plan({{camera(1000, 100, {{1, 3, 4}})}, {}, 5});
  EXPECT_NE(one.inference.front().warning.find("overload"), std::string::npos);
  auto second = camera(100, 100, {{1, 6, 6}});
  second.job = 3;
  const auto two = make_managed_plan({{camera(100, 100, {{1, 6, 6}}), second}, {}, 5});
  EXPECT_EQ(two.inference.front().warning, "overload: the inference jobs together need 120 % of the device");
}

TEST(ManagedPlan, SaysThatAMinibatchNeverFitsBeforeTheNextDeadline) {
  const auto plan = make_managed_plan({{camera(1, 1100, {{1, 50, 50}})}, {training(1100)}, 5});
  EXPECT_NE(plan.training.front().warning.find("starved"), std::string::npos)
      << plan.training.front().warning;
}

TEST(ManagedPlan, TakesSmallerBatchesWhereLargerOnesWouldHoldOthersUp) {
  // Alone the second would take 64, which needs least of the device; but a step of 90 ms would make the first
  // late.
  auto second = camera(50, 5000, {{16, 30, 30}, {64, 90, 90}});
  second.job = 3;
  const auto plan = make_managed_plan({{camera(10, 150, {{1, 5, 5}}), second}, {}, 0});
  EXPECT_EQ(plan.inference.back().batch_size, 16);
  EXPECT_EQ(plan.inference.front().warning, "");
  const auto alone = make_managed_plan({{second}, {}, 0});
  EXPECT_EQ(alone.inference.front().batch_size, 64);
}

TEST(ManagedPlan, SaysWhichJobSharingMakesLate) {
  // A full batch of the first has 50 ms; 5 of its own, and 90 that may just have begun.
  auto second = camera(50, 5000, {{64, 90, 90}});
  second.job = 3;
  const auto plan = make_managed_plan({{camera(10, 150, {{1, 5, 5}}), second}, {}, 0});
  EXPECT_EQ(plan.inference.front().warning,
            "the budget of 150.0 ms may be missed: with the other inference jobs' batches up to 190 % of the "
            "time before a deadline is needed");
  EXPECT_EQ(plan.inference.back().warning, "");
}

TEST(ManagedPlan, OneThatIsLateAnywayDoesNotMakeTheOthersSo) {
  auto late = camera(60, 10, {{1, 3, 3}});
  late.job = 3;
  const auto plan = make_managed_plan({{camera(10, 150, {{1, 5, 5}, {4, 8, 8}}), late}, {}, 0});
  EXPECT_EQ(plan.inference.front().warning, "");
  EXPECT_THAT(plan.inference.back().warning, testing::HasSubstr("the budget of 10.0 ms is too small"));
}

TEST(ManagedPlan, SharesTheWindowOfABatchOfEachAmongSeveral) {
  auto second = camera(10, 1000, {{1, 10, 10}});
  second.job = 3;
  // Demands 4/16.7 = 24 % and 10/100 = 10 %: 66 % of 28.6 ms = 18.9 ms, two steps of 9 ms.
  const auto plan = make_managed_plan({{camera(60, 100, {{1, 4, 4}}), second}, {training(9)}, 5});
  EXPECT_EQ(plan.training_per_window, 2);
  EXPECT_NEAR(plan.window_ms, 2000.0 / 70, 1e-9);
}

// searches.md section 1, written out independently.
struct Best {
  double throughput = -1;
  double step_ms = 0;
  int batch = 0;
};

std::optional<Best> brute_force(const InferenceDemand& d, double t_tr) {
  std::optional<Best> best;
  for (const auto& t : d.step_times) {
    const double w = 1000.0 * t.batch_size / d.arrival_rate_hz;
    if (w + t.p99_ms > d.latency_budget_ms || t.p99_ms > w) continue;
    const double tau = std::floor((w - t.p99_ms) / t_tr + 1e-9);
    const double throughput = tau * d.arrival_rate_hz / t.batch_size;
    if (!best || throughput > best->throughput + 1e-9 ||
        (std::abs(throughput - best->throughput) <= 1e-9 && t.p99_ms < best->step_ms)) {
      best = Best{throughput, t.p99_ms, t.batch_size};
    }
  }
  return best;
}

RC_GTEST_PROP(ManagedPlan, EqualsBruteForceForOneInferenceJob, ()) {
  const double rate = *rc::gen::inRange(1, 200);
  const double budget = *rc::gen::inRange(10, 3000);
  const double t_tr = *rc::gen::inRange(1, 200);
  std::vector<StepTime> times;
  double t = 0;
  for (const int b : {1, 4, 16, 32, 64}) {
    t += *rc::gen::inRange(1, 40);
    times.push_back({b, t, t});
  }
  const auto demand = camera(rate, budget, times);
  const auto plan = make_managed_plan({{demand}, {training(t_tr)}, 0});
  const auto best = brute_force(demand, t_tr);
  if (!best) {
    RC_ASSERT(!plan.inference.front().warning.empty());
    return;
  }
  RC_ASSERT(plan.inference.front().warning.empty());
  RC_ASSERT(std::abs(plan.expected_train_minibatches_per_s - best->throughput) < 1e-6);
}

}  // namespace
}  // namespace fulcrum::scheduler

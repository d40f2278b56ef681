#include "scheduler/demand_bound.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace fulcrum::scheduler {
namespace {

TEST(DemandBound, OfOneTaskIsItsStepBeforeItsDeadline) {
  const auto bound = demand_bound({{100, 20, 40}});
  EXPECT_DOUBLE_EQ(bound.demand, .2);
  EXPECT_DOUBLE_EQ(bound.worst.front(), .5);
}

TEST(DemandBound, ALongStepWithALaterDeadlineIsInTheWay) {
  // The first task has 20 ms, and the other's step of 18 may just have begun.
  const auto bound = demand_bound({{100, 5, 20}, {1000, 18, 500}});
  EXPECT_DOUBLE_EQ(bound.worst[0], 23.0 / 20);
  // 18 ms, and five batches of the first whose deadlines come before: at 20, 120, 220, 320, 420.
  EXPECT_DOUBLE_EQ(bound.worst[1], (18 + 5 * 5) / 500.0);
}

TEST(DemandBound, DeadlinesAtTheSameMomentCountTogether) {
  const auto bound = demand_bound({{100, 30, 50}, {200, 30, 50}});
  EXPECT_DOUBLE_EQ(bound.worst[0], 1.2);
  EXPECT_DOUBLE_EQ(bound.worst[1], 1.2);
}

TEST(DemandBound, MoreThanTheDeviceCanDoIsADemandAboveOne) {
  EXPECT_GT(demand_bound({{10, 9, 20}, {40, 9, 20}}).demand, 1);
}

TEST(DemandBound, ADeadlineBeforeTheBatchIsFullCannotBeKept) {
  EXPECT_TRUE(std::isinf(demand_bound({{100, 1, -5}, {100, 1, 50}}).worst[0]));
  EXPECT_LE(demand_bound({{100, 1, -5}, {100, 1, 50}}).worst[1], 1);
}

TEST(DemandBound, OfNothingIsNothing) {
  EXPECT_EQ(demand_bound({}).demand, 0);
}

// The formula of the header, at every deadline far beyond the busy stretch.
double largest_ratio(const std::vector<UrgentTask>& tasks) {
  double largest = 0;
  for (const auto& task : tasks) {
    for (int k = 0; k < 300; ++k) {
      const double t = task.deadline_ms + k * task.period_ms;
      double work = 0;
      double longest = 0;
      for (const auto& other : tasks) {
        work += std::max(0.0, std::floor((t - other.deadline_ms) / other.period_ms) + 1) * other.step_ms;
        if (other.deadline_ms > t) longest = std::max(longest, other.step_ms);
      }
      largest = std::max(largest, (work + longest) / t);
    }
  }
  return largest;
}

RC_GTEST_PROP(DemandBound, SaysAsTheFormulaDoesWhetherAllIsKept, ()) {
  std::vector<UrgentTask> tasks;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    const double period = *rc::gen::inRange(5, 200);
    tasks.push_back({period, static_cast<double>(*rc::gen::inRange(1, 60)),
                     static_cast<double>(*rc::gen::inRange(1, 300))});
  }
  const auto bound = demand_bound(tasks);
  RC_PRE(bound.demand < .98);
  const double worst = *std::max_element(bound.worst.begin(), bound.worst.end());
  RC_CLASSIFY(worst <= 1, "kept");
  RC_ASSERT((worst <= 1) == (largest_ratio(tasks) <= 1));
}

}  // namespace
}  // namespace fulcrum::scheduler

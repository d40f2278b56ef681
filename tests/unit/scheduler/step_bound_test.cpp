#include "scheduler/step_bound.h"

#include <gtest/gtest.h>

#include "powermode/simulated_workloads.h"
#include "scheduler/mode_grid.h"

namespace fulcrum::scheduler {
namespace {

constexpr PowerMode kHigh{8, 2000, 1000, 3000};

TEST(SlowdownBound, IsTheSlowestPart) {
  EXPECT_EQ(slowdown_bound(kHigh, {8, 2000, 500, 1000}), 3);
  EXPECT_EQ(slowdown_bound(kHigh, {8, 500, 1000, 3000}), 4);
}

TEST(SlowdownBound, FewerCoresAndSlowerOnesMultiply) {
  EXPECT_NEAR(slowdown_bound(kHigh, {4, 1000, 1000, 3000}), 4, 0.3);
}

TEST(SlowdownBound, AFasterModeIsNotSlower) {
  EXPECT_EQ(slowdown_bound({4, 1000, 500, 1000}, kHigh), 1);
}

TEST(StepBound, TakesTheNearestProfile) {
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add({WorkloadTask::training, kHigh, 16, 9, 10, 30}));
  ASSERT_TRUE(profiles.add({WorkloadTask::training, {8, 2000, 250, 3000}, 16, 11, 12, 20}));
  EXPECT_EQ(step_bound_ms(profiles, WorkloadTask::training, {8, 2000, 125, 3000}, 16), 24);
}

TEST(StepBound, ALargerBatchTakesLongerInProportionAndASmallerOneNoLonger) {
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add({WorkloadTask::inference, kHigh, 4, 2, 3, 30}));
  EXPECT_EQ(step_bound_ms(profiles, WorkloadTask::inference, kHigh, 16), 12);
  EXPECT_EQ(step_bound_ms(profiles, WorkloadTask::inference, kHigh, 1), 3);
}

TEST(StepBound, OfAnotherTaskNothingIsKnown) {
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add({WorkloadTask::training, kHigh, 16, 9, 10, 30}));
  EXPECT_EQ(step_bound_ms(profiles, WorkloadTask::inference, kHigh, 16), std::nullopt);
}

// The measured coefficients of the simulated board: no class and mode is slower than the bound from the
// highest says.
TEST(StepBound, HoldsForTheMeasuredClasses) {
  const auto workloads = SimulatedWorkloads::builtin("agx-orin").value();
  const PowerMode highest{12, 2201600, 1300500000, 3199000000};
  const auto grid = ModeGrid::make({{{4, 8, 12},
                                     {422400, 1036800, 2201600},
                                     {114750000, 624750000, 1300500000},
                                     {665600000, 2133000000, 3199000000}}})
                        .value();
  for (const auto& name : workloads.class_names()) {
    for (const auto task : {WorkloadTask::training, WorkloadTask::inference}) {
      const auto at_best = workloads.step_time_ms(name, task, 16, highest);
      if (!at_best) continue;
      for (std::size_t number = 0; number < grid.size(); ++number) {
        const PowerMode mode = grid.mode(number);
        const double bound = *at_best * slowdown_bound(highest, mode);
        EXPECT_LE(workloads.step_time_ms(name, task, 16, mode).value(), bound)
            << name << ", " << mode.to_string();
      }
    }
  }
}

}  // namespace
}  // namespace fulcrum::scheduler

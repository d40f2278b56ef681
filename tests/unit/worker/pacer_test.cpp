#include "worker/pacer.h"

#include <gtest/gtest.h>

namespace fulcrum::worker {
namespace {

// In this mode a step takes twice what it takes at MAXN.
Pacer simulated(std::optional<double> kappa = std::nullopt) {
  return Pacer(Pace{{{1, 40, 20}, {4, 100, 50}, {16, 200, 100}}, kappa});
}

TEST(Pacer, StretchesNothingOnARealBoard) {
  Pacer pacer(std::nullopt);
  EXPECT_FALSE(pacer.paced());
  EXPECT_TRUE(pacer.calibrated());
  pacer.calibrate({{4, 3, 5}});
  EXPECT_EQ(pacer.target_ms(4), 0);
  EXPECT_EQ(pacer.as_paced({4, 3, 5}).p99_ms, 5);
}

TEST(Pacer, KappaMakesTheModelAtMaxnAtLeastEveryRealP99) {
  auto pacer = simulated();
  pacer.calibrate({{1, 1, 2}, {4, 2, 3}});  // 2/20 = 0.1, 3/50 = 0.06
  EXPECT_DOUBLE_EQ(*pacer.kappa(), 0.1);
  EXPECT_DOUBLE_EQ(pacer.target_ms(1), 4);
  EXPECT_DOUBLE_EQ(pacer.target_ms(4), 10);
}

TEST(Pacer, ABusyMachineDoesNotMakeStepsSlowForEver) {
  auto pacer = simulated();
  pacer.calibrate({{4, 2, 50}});  // three medians are 6 ms, of 50
  EXPECT_DOUBLE_EQ(*pacer.kappa(), 0.12);
}

TEST(Pacer, PartialBatchesLastAsTheNextSizeThatIsKnown) {
  const auto pacer = simulated(0.1);
  EXPECT_DOUBLE_EQ(pacer.target_ms(3), 10);
  EXPECT_DOUBLE_EQ(pacer.target_ms(64), 20);
}

TEST(Pacer, AStepIsNeverShortened) {
  const auto pacer = simulated(0.1);
  EXPECT_DOUBLE_EQ(pacer.as_paced({4, 3, 12}).p50_ms, 10);
  EXPECT_DOUBLE_EQ(pacer.as_paced({4, 3, 12}).p99_ms, 12);
}

TEST(Pacer, CountsStepsThatTookLongerThanTheModel) {
  auto pacer = simulated(0.1);
  pacer.account(4, 9.9);
  pacer.account(4, 10.1);
  EXPECT_EQ(pacer.overruns(), 1U);
  auto uncalibrated = simulated();
  uncalibrated.account(4, 1000);
  EXPECT_EQ(uncalibrated.overruns(), 0U);
}

}  // namespace
}  // namespace fulcrum::worker

#include "daemon/power_watch.h"

#include <gtest/gtest.h>

namespace fulcrum::daemon {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{5s};

class PowerWatchTest : public testing::Test {
 protected:
  PowerWatchTest() { watch_.restart(kStart); }

  PowerWatch watch_{1s, 300ms};
};

TEST_F(PowerWatchTest, NothingCountsBeforeTheSensorsHaveSettled) {
  EXPECT_EQ(watch_.add(999, kStart), std::nullopt);
  EXPECT_EQ(watch_.add(999, kStart + 299ms), std::nullopt);
  EXPECT_EQ(watch_.add(20, kStart + 300ms), std::nullopt);
  EXPECT_EQ(watch_.add(20, kStart + 1300ms), 20) << "a window of what came after";
}

TEST_F(PowerWatchTest, KnowsNoMeanBeforeAWindowIsFull) {
  EXPECT_EQ(watch_.add(20, kStart + 300ms), std::nullopt);
  EXPECT_EQ(watch_.add(20, kStart + 1299ms), std::nullopt);
  EXPECT_EQ(watch_.mean_w(), std::nullopt);
}

TEST_F(PowerWatchTest, IsTheMeanOverAFullWindow) {
  watch_.add(10, kStart + 300ms);
  watch_.add(40, kStart + 1100ms);
  const auto mean_w = watch_.add(99, kStart + 1300ms);
  ASSERT_TRUE(mean_w);
  EXPECT_NEAR(*mean_w, 10 * 0.8 + 40 * 0.2, 1e-9);
  EXPECT_EQ(watch_.mean_w(), mean_w);
}

TEST_F(PowerWatchTest, TheNextWindowBeginsWhereTheLastEnded) {
  watch_.add(10, kStart + 300ms);
  watch_.add(50, kStart + 1300ms);
  EXPECT_EQ(watch_.add(90, kStart + 2299ms), std::nullopt);
  const auto mean_w = watch_.add(90, kStart + 2300ms);
  ASSERT_TRUE(mean_w);
  EXPECT_NEAR(*mean_w, 50 * 0.999 + 90 * 0.001, 1e-9) << "nothing of the first window";
}

TEST_F(PowerWatchTest, TheLastMeanStandsUntilTheNextWindowIsFull) {
  watch_.add(10, kStart + 300ms);
  watch_.add(50, kStart + 1300ms);
  watch_.add(50, kStart + 1400ms);
  EXPECT_EQ(watch_.mean_w(), 10);
}

TEST_F(PowerWatchTest, RestartForgetsTheMean) {
  watch_.add(10, kStart + 300ms);
  watch_.add(10, kStart + 1300ms);
  watch_.restart(kStart + 1400ms);
  EXPECT_EQ(watch_.mean_w(), std::nullopt);
}

TEST_F(PowerWatchTest, RestartForgetsTheWindowThatHasBegun) {
  watch_.add(90, kStart + 300ms);
  watch_.add(90, kStart + 600ms);
  watch_.restart(kStart + 700ms);
  EXPECT_EQ(watch_.add(90, kStart + 999ms), std::nullopt) << "the sensors settle again";
  EXPECT_EQ(watch_.add(10, kStart + 1000ms), std::nullopt);
  EXPECT_EQ(watch_.add(10, kStart + 1999ms), std::nullopt);
  EXPECT_EQ(watch_.add(10, kStart + 2000ms), 10);
}

}  // namespace
}  // namespace fulcrum::daemon

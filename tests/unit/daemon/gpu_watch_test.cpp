#include "daemon/gpu_watch.h"

#include <gtest/gtest.h>

namespace fulcrum::daemon {
namespace {

using namespace std::chrono_literals;

class GpuWatchTest : public testing::Test {
 protected:
  // For `time`, ours runs for one part of it and others for another; the kernel tells the sum.
  void pass(Duration time, double own, double foreign) {
    constexpr auto kStep = 100ms;
    for (const auto end = now_ + time; now_ < end; now_ += kStep) {
      if (own > 0) watch_.step(now_, now_ + std::chrono::duration_cast<Duration>(own * kStep));
      watch_.load(std::min(1.0, own + foreign), now_ + kStep);
    }
  }
  std::optional<double> foreign() const { return watch_.foreign(now_); }

  GpuWatch watch_;
  TimePoint now_ = from_ns(1'000'000'000);
};

TEST_F(GpuWatchTest, KnowsNothingAtFirst) {
  EXPECT_EQ(foreign(), std::nullopt);
  pass(500ms, 0, 0.5);
  EXPECT_EQ(foreign(), std::nullopt);
}

TEST_F(GpuWatchTest, OurOwnLoadIsNobodyElses) {
  pass(5s, 0.4, 0);
  ASSERT_TRUE(foreign());
  EXPECT_EQ(*foreign(), 0);
}

TEST_F(GpuWatchTest, WhatIsBeyondOurOwnIsOthers) {
  pass(5s, 0.3, 0.4);
  EXPECT_NEAR(foreign().value(), 0.4, 0.05);
  pass(5s, 0, 0.4);
  EXPECT_NEAR(foreign().value(), 0.4, 0.05);
  pass(5s, 0, 0);
  EXPECT_EQ(foreign().value(), 0);
}

// One that lasts longer than the window is not over when the GPU is looked at.
TEST_F(GpuWatchTest, AStepThatRunsIsOurs) {
  watch_.running(now_);
  pass(5s, 0, 1);
  EXPECT_EQ(foreign().value_or(0), 0);
}

TEST_F(GpuWatchTest, ALittleIsNoise) {
  pass(5s, 0.3, 0.05);
  EXPECT_EQ(foreign().value(), 0);
}

// A GPU that we fill tells nothing; what was known is so for a while.
TEST_F(GpuWatchTest, WhileWeFillTheGpuNothingIsLearnt) {
  pass(5s, 0, 0.4);
  pass(3s, 0.95, 0.4);
  EXPECT_NEAR(foreign().value(), 0.4, 0.1);
  pass(20s, 0.95, 0.4);
  EXPECT_EQ(foreign(), std::nullopt);
}

}  // namespace
}  // namespace fulcrum::daemon

#include "worker/trial.h"

#include <gtest/gtest.h>

namespace fulcrum::worker {
namespace {

const TimePoint kStart{std::chrono::seconds(50)};

TEST(Trial, DropsTheWarmUp) {
  Trial trial({16}, 3);
  for (int i = 0; i < 5; ++i)
    trial.record(1000, kStart);
  EXPECT_FALSE(trial.finished());
  for (int i = 0; i < 3; ++i)
    trial.record(2, kStart);
  ASSERT_TRUE(trial.finished());
  EXPECT_EQ(trial.step_times().front().p99_ms, 2);
}

TEST(Trial, MeasuresEverySizeInTurn) {
  Trial trial({1, 4}, 1);
  EXPECT_EQ(trial.batch_size(), 1);
  for (int i = 0; i < 6; ++i)
    trial.record(1, kStart);
  EXPECT_EQ(trial.batch_size(), 4);
  for (int i = 0; i < 6; ++i)
    trial.record(3, kStart);
  ASSERT_TRUE(trial.finished());
  EXPECT_EQ(trial.step_times().at(1).p50_ms, 3);
}

TEST(Trial, ExpectsTheLongestStepSoFar) {
  Trial trial({16}, 10);
  EXPECT_EQ(trial.step_bound(), Duration::zero());
  for (const double ms : {9.0, 9.0, 9.0, 9.0, 9.0, 2.0, 4.0, 3.0})
    trial.record(ms, kStart);
  EXPECT_EQ(trial.step_bound(), from_ms(4)) << "the warm-up does not count";
}

TEST(Trial, SettlesForWhatItHasWhenNothingFits) {
  Trial trial({16}, 10);
  for (int i = 0; i < 6; ++i)
    trial.record(4, kStart);
  EXPECT_FALSE(trial.settle_if_starved(kStart + std::chrono::seconds(4)));
  EXPECT_TRUE(trial.settle_if_starved(kStart + std::chrono::seconds(5)));
  EXPECT_TRUE(trial.finished());
}

TEST(Trial, CannotSettleForNothing) {
  Trial trial({16}, 10);
  EXPECT_FALSE(trial.settle_if_starved(kStart));
  EXPECT_FALSE(trial.settle_if_starved(kStart + std::chrono::hours(1)));
}

TEST(Trial, OfNothingIsFinished) {
  EXPECT_TRUE(Trial({}, 10).finished());
}

}  // namespace
}  // namespace fulcrum::worker

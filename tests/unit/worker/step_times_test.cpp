#include "worker/step_times.h"

#include <gtest/gtest.h>

namespace fulcrum::worker {
namespace {

TEST(SummarizeSteps, TakesNearestRanks) {
  std::vector<double> samples;
  for (int i = 100; i >= 1; --i)
    samples.push_back(i);
  const auto summary = summarize_steps(8, samples);
  EXPECT_EQ(summary.batch_size, 8);
  EXPECT_EQ(summary.p50_ms, 50);
  EXPECT_EQ(summary.p99_ms, 99);
}

TEST(SummarizeSteps, OneSampleIsEveryPercentile) {
  EXPECT_EQ(summarize_steps(1, {7}).p99_ms, 7);
}

TEST(RecentStepTimes, WaitsForEnoughSamples) {
  RecentStepTimes recent;
  for (int i = 0; i < 99; ++i)
    recent.add(4, 1);
  EXPECT_TRUE(recent.summary().empty());
  recent.add(4, 1);
  EXPECT_EQ(recent.summary().size(), 1U);
}

TEST(RecentStepTimes, ForgetsWhatWasLongAgo) {
  RecentStepTimes recent;
  for (int i = 0; i < 1000; ++i)
    recent.add(4, 100);
  for (int i = 0; i < 400; ++i)
    recent.add(4, 1);
  EXPECT_EQ(recent.summary().front().p99_ms, 1);
}

}  // namespace
}  // namespace fulcrum::worker

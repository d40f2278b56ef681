#include "profiler/time_statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace fulcrum::profiler {
namespace {

std::vector<double> from_1_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(TimeStatistics, PercentilesAreNearestRanks) {
  const auto of_200 = summarize(from_1_to(200));
  EXPECT_EQ(of_200.p50_ms, 100);
  EXPECT_EQ(of_200.p99_ms, 198);
}

TEST(TimeStatistics, TheP99OfFewStepsIsTheLongest) {
  EXPECT_EQ(summarize({3, 9, 1}).p99_ms, 9);
}

TEST(TimeStatistics, DeviationIsThatOfASample) {
  EXPECT_DOUBLE_EQ(summarize({2, 4, 4, 4, 5, 5, 7, 9}).mean_ms, 5);
  EXPECT_NEAR(summarize({2, 4, 4, 4, 5, 5, 7, 9}).stddev_ms, 2.13809, 1e-5);
}

TEST(TimeStatistics, OneStepHasNoDeviation) {
  const auto one = summarize({7});
  EXPECT_EQ(one.p50_ms, 7);
  EXPECT_EQ(one.p99_ms, 7);
  EXPECT_EQ(one.mean_ms, 7);
  EXPECT_EQ(one.stddev_ms, 0);
}

TEST(Median, OfAnEvenNumberIsBetweenTheTwoInTheMiddle) {
  EXPECT_EQ(median({4, 1, 3, 9}), 3.5);
  EXPECT_EQ(median({4, 1, 9}), 4);
}

RC_GTEST_PROP(Median, HasAsManyBelowAsAbove, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(0, 50), [](int i) { return static_cast<double>(i); })));
  const double middle = median(values);
  const auto below = std::count_if(values.begin(), values.end(), [&](double v) { return v < middle; });
  const auto above = std::count_if(values.begin(), values.end(), [&](double v) { return v > middle; });
  const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
  RC_ASSERT(below <= half);
  RC_ASSERT(above <= half);
}

}  // namespace
}  // namespace fulcrum::profiler

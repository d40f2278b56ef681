#include "common/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fulcrum {
namespace {

TEST(LatencyHistogram, IsZeroWhenEmpty) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.percentile_ms(99), 0.0);
  EXPECT_EQ(histogram.max_ms(), 0.0);
  EXPECT_EQ(histogram.mean_ms(), 0.0);
}

TEST(LatencyHistogram, TellsSmallValuesExactly) {
  LatencyHistogram histogram;
  for (const double ms : {0.001, 0.002, 0.003, 0.004})
    histogram.record_ms(ms);
  EXPECT_DOUBLE_EQ(histogram.percentile_ms(50), 0.002);
  EXPECT_DOUBLE_EQ(histogram.percentile_ms(75), 0.003);
  EXPECT_DOUBLE_EQ(histogram.percentile_ms(100), 0.004);
}

TEST(LatencyHistogram, ClampsWhatCannotBe) {
  LatencyHistogram histogram;
  histogram.record_ms(-5);
  histogram.record_ms(std::numeric_limits<double>::infinity());
  histogram.record_ms(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.percentile_ms(1), 0.0);
}

TEST(LatencyHistogram, RefusesCorruptJson) {
  LatencyHistogram histogram;
  histogram.record_ms(1);
  Json json = histogram.to_json();
  json["count"] = 2;
  EXPECT_FALSE(LatencyHistogram::from_json(json));
  json["buckets"] = {{1000000, 2}};
  EXPECT_FALSE(LatencyHistogram::from_json(json));
  EXPECT_FALSE(LatencyHistogram::from_json(Json::array()));
}

rc::Gen<std::vector<double>> latencies() {
  return rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(0, 100'000'000), [](int us) { return us / 1000.0; })));
}

LatencyHistogram histogram_of(const std::vector<double>& values) {
  LatencyHistogram histogram;
  for (const double v : values)
    histogram.record_ms(v);
  return histogram;
}

RC_GTEST_PROP(LatencyHistogram, PercentilesAreWithinABucketOfTheExactOnes, ()) {
  auto values = *latencies();
  const auto percent = *rc::gen::inRange(1, 101);
  const auto histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(
      std::max(1.0, std::ceil(percent / 100.0 * static_cast<double>(values.size()) - 1e-9)));
  const double exact = values[rank - 1];
  const double told = histogram.percentile_ms(percent);
  RC_ASSERT(told >= exact - 1e-9);
  RC_ASSERT(told <= exact * (1 + 1.0 / 64) + 1e-9);
  RC_ASSERT(told <= histogram.max_ms());
}

RC_GTEST_PROP(LatencyHistogram, MergingEqualsRecordingTogether, ()) {
  const auto a = *latencies();
  const auto b = *latencies();
  auto merged = histogram_of(a);
  merged.merge(histogram_of(b));
  auto all = a;
  all.insert(all.end(), b.begin(), b.end());
  RC_ASSERT(merged.to_json() == histogram_of(all).to_json());
}

RC_GTEST_PROP(LatencyHistogram, SurvivesJson, ()) {
  const auto histogram = histogram_of(*latencies());
  const auto back = LatencyHistogram::from_json(histogram.to_json());
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->to_json() == histogram.to_json());
}

}  // namespace
}  // namespace fulcrum

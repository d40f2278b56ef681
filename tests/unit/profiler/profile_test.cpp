#include "profiler/profile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/profiler/some_measurement.h"

namespace fulcrum::profiler {
namespace {

using test::some_measurement;

Measurement measured(const std::vector<double>& step_times_ms, double power_w = 20) {
  Measurement m = some_measurement();
  m.minibatches = static_cast<int>(step_times_ms.size());
  m.time = summarize(step_times_ms);
  m.power_w = power_w;
  return m;
}

TEST(Pool, OfOneMeasurementIsThatMeasurement) {
  const auto one = some_measurement();
  Json profile = pool({one}).to_json();
  EXPECT_EQ(profile.at("measurements"), 1);
  profile.erase("measurements");
  EXPECT_EQ(profile, one.to_json());
}

TEST(Pool, TakesTheMedianOfMedians) {
  EXPECT_EQ(pool({measured({10}), measured({11}), measured({90})}).time.p50_ms, 11);
}

TEST(Pool, TakesTheMedianOfP99s) {
  EXPECT_EQ(pool({measured({1, 20}), measured({1, 30}), measured({1, 400})}).time.p99_ms, 30);
}

TEST(Pool, TakesTheMedianOfPowers) {
  EXPECT_EQ(pool({measured({10}, 20), measured({10}, 21), measured({10}, 50)}).power_w, 21);
  EXPECT_EQ(pool({measured({10}, 20), measured({10}, 21)}).power_w, 20.5);
}

TEST(Pool, TakesTheMedianOfTheTemperaturesThatAreKnown) {
  auto cold = some_measurement(), warm = some_measurement(), unknown = some_measurement();
  cold.temperature_c = 40;
  warm.temperature_c = 60;
  unknown.temperature_c.reset();
  EXPECT_EQ(pool({cold, unknown, warm}).temperature_c, 50);
  EXPECT_FALSE(pool({unknown, unknown}).temperature_c);
}

TEST(Pool, IsAsNewAsTheNewestAndCostAllOfThem) {
  auto older = some_measurement(), newer = some_measurement();
  newer.measured_at_ms = older.measured_at_ms + 5;
  const auto profile = pool({newer, older});
  EXPECT_EQ(profile.measured_at_ms, newer.measured_at_ms);
  EXPECT_EQ(profile.cost_s, older.cost_s + newer.cost_s);
  EXPECT_EQ(profile.minibatches, 80);
}

TEST(Pool, MeasurementsBesideOtherUsersOfTheGpuCountOnlyWhereThereAreNoOthers) {
  auto disturbed = measured({40}, 30);
  disturbed.foreign_gpu_load = 0.3;
  auto more = measured({50}, 31);
  more.foreign_gpu_load = 0.5;
  const auto mixed = pool({disturbed, measured({10}, 20), more});
  EXPECT_EQ(mixed.time.p50_ms, 10);
  EXPECT_EQ(mixed.power_w, 20);
  EXPECT_EQ(mixed.measurements, 1);
  EXPECT_FALSE(mixed.foreign_gpu_load);
  const auto alone = pool({disturbed, more});
  EXPECT_EQ(alone.time.p50_ms, 45);
  EXPECT_EQ(alone.foreign_gpu_load, 0.5);
}

TEST(PoolByKey, KeepsDifferentKeysApart) {
  auto a = some_measurement(), b = some_measurement(), c = some_measurement();
  b.key.batch_size = 1;
  c.key.mode.gpu_hz = 1;
  const auto profiles = pool_by_key({a, b, c, a});
  ASSERT_EQ(profiles.size(), 3u);
  EXPECT_EQ(profiles[0].key, c.key);
  EXPECT_EQ(profiles[1].key, b.key);
  EXPECT_EQ(profiles[2].key, a.key);
  EXPECT_EQ(profiles[2].measurements, 2);
}

TEST(PoolByKey, OfNothingIsNothing) {
  EXPECT_TRUE(pool_by_key({}).empty());
}

using Steps = std::vector<double>;

std::vector<Steps> any_parts() {
  const auto step_ms = rc::gen::map(rc::gen::inRange(1, 100000), [](int i) { return i / 100.0; });
  const auto steps = rc::gen::nonEmpty(rc::gen::container<Steps>(step_ms));
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<Steps>>(steps));
}

std::vector<Measurement> measured_parts(const std::vector<Steps>& parts) {
  std::vector<Measurement> measurements;
  measurements.reserve(parts.size());
  for (const auto& part : parts)
    measurements.push_back(measured(part, *rc::gen::inRange(1, 600) / 10.0));
  return measurements;
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

RC_GTEST_PROP(Pool, HasTheMeanAndDeviationOfAllStepsTogether, ()) {
  const auto parts = any_parts();
  Steps all;
  for (const auto& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  const auto pooled = pool(measured_parts(parts));
  const auto together = summarize(all);
  RC_ASSERT(pooled.minibatches == static_cast<std::int64_t>(all.size()));
  RC_ASSERT(close(pooled.time.mean_ms, together.mean_ms));
  RC_ASSERT(close(pooled.time.stddev_ms * pooled.time.stddev_ms, together.stddev_ms * together.stddev_ms));
}

RC_GTEST_PROP(Pool, DoesNotDependOnTheOrder, ()) {
  auto measurements = measured_parts(any_parts());
  const auto pooled = pool(measurements);
  std::reverse(measurements.begin(), measurements.end());
  std::rotate(measurements.begin(),
              measurements.begin() +
                  *rc::gen::inRange<std::ptrdiff_t>(0, 3) % static_cast<std::ptrdiff_t>(measurements.size()),
              measurements.end());
  const auto again = pool(measurements);
  RC_ASSERT(pooled.time.p50_ms == again.time.p50_ms);
  RC_ASSERT(pooled.time.p99_ms == again.time.p99_ms);
  RC_ASSERT(pooled.power_w == again.power_w);
  RC_ASSERT(close(pooled.time.mean_ms, again.time.mean_ms));
}

RC_GTEST_PROP(Pool, LiesAmongItsParts, ()) {
  const auto measurements = measured_parts(any_parts());
  const auto pooled = pool(measurements);
  const auto among = [&](double value, auto get) {
    const auto [low, high] = std::minmax_element(measurements.begin(), measurements.end(),
                                                 [&](auto& a, auto& b) { return get(a) < get(b); });
    return value >= get(*low) && value <= get(*high);
  };
  RC_ASSERT(among(pooled.time.p50_ms, [](const Measurement& m) { return m.time.p50_ms; }));
  RC_ASSERT(among(pooled.time.p99_ms, [](const Measurement& m) { return m.time.p99_ms; }));
  RC_ASSERT(among(pooled.power_w, [](const Measurement& m) { return m.power_w; }));
  RC_ASSERT(pooled.time.p50_ms <= pooled.time.p99_ms);
}

}  // namespace
}  // namespace fulcrum::profiler

#include "profiler/power_readings.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace fulcrum::profiler {
namespace {

using namespace std::chrono_literals;
using Fault = PowerReadings::Mean::Fault;
using testing::HasSubstr;

const TimePoint t0{1000s};
constexpr PowerReadings::Limits kLimits{200ms, 300ms, 3};

PowerReadings every_100_ms(double watts) {
  PowerReadings readings;
  for (int i = 0; i <= 10; ++i)
    readings.add(watts, t0 + i * 100ms);
  return readings;
}

TEST(PowerReadings, AConstantPowerIsItsOwnMean) {
  const auto mean = every_100_ms(20).mean_over(t0, t0 + 1s, kLimits);
  EXPECT_EQ(mean.fault, Fault::none);
  EXPECT_DOUBLE_EQ(mean.watts, 20);
}

TEST(PowerReadings, EachStandsForTheTimeSinceTheOneBefore) {
  PowerReadings readings;
  readings.add(10, t0 + 300ms);  // for 300 ms
  readings.add(20, t0 + 500ms);  // for 200 ms
  readings.add(40, t0 + 600ms);  // for 100 ms, and for the 200 ms that are left
  EXPECT_DOUBLE_EQ(readings.mean_over(t0, t0 + 800ms, kLimits).watts, (3 * 10 + 2 * 20 + 3 * 40) / 8.0);
}

TEST(PowerReadings, OnesWhoseWindowBeginsBeforeTheIntervalDoNotCount) {
  auto readings = every_100_ms(20);
  readings.add(9999, t0 + 199ms);
  EXPECT_DOUBLE_EQ(readings.mean_over(t0, t0 + 1s, kLimits).watts, 20);
}

TEST(PowerReadings, OnesAfterTheIntervalDoNotCount) {
  auto readings = every_100_ms(20);
  readings.add(9999, t0 + 901ms);
  EXPECT_DOUBLE_EQ(readings.mean_over(t0, t0 + 900ms, kLimits).watts, 20);
}

TEST(PowerReadings, TheOrderInWhichTheyCameDoesNotMatter) {
  PowerReadings readings;
  readings.add(40, t0 + 600ms);
  readings.add(10, t0 + 300ms);
  readings.add(20, t0 + 500ms);
  EXPECT_DOUBLE_EQ(readings.mean_over(t0, t0 + 800ms, kLimits).watts, (3 * 10 + 2 * 20 + 3 * 40) / 8.0);
}

TEST(PowerReadings, ARepeatedReadingCountsOnce) {
  PowerReadings readings;
  for (int i = 0; i < 9; ++i)
    readings.add(20, t0 + 300ms);
  EXPECT_EQ(readings.mean_over(t0, t0 + 500ms, kLimits).fault, Fault::too_few);
}

TEST(PowerReadings, AGapAtTheBeginningTheMiddleOrTheEndIsAMissingReading) {
  for (const auto& times : {std::vector{501ms, 600ms, 700ms, 900ms}, std::vector{200ms, 300ms, 601ms, 900ms},
                            std::vector{200ms, 400ms, 600ms, 699ms}}) {
    PowerReadings readings;
    for (const auto time : times)
      readings.add(20, t0 + time);
    EXPECT_EQ(readings.mean_over(t0, t0 + 1s, kLimits).fault, Fault::missing);
  }
}

TEST(PowerReadings, AFailedReadingInsideTheIntervalIsMissing) {
  auto readings = every_100_ms(20);
  readings.add_missing("EAGAIN", t0 + 450ms);
  const auto mean = readings.mean_over(t0, t0 + 1s, kLimits);
  EXPECT_EQ(mean.fault, Fault::missing);
  EXPECT_THAT(mean.message, HasSubstr("EAGAIN"));
}

TEST(PowerReadings, AFailedReadingOutsideDoesNotMatter) {
  auto readings = every_100_ms(20);
  readings.add_missing("EAGAIN", t0 - 1ms);
  readings.add_missing("EAGAIN", t0 + 1001ms);
  EXPECT_EQ(readings.mean_over(t0, t0 + 1s, kLimits).fault, Fault::none);
}

TEST(PowerReadings, WhatIsNoPowerIsMissing) {
  for (const double watts :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto readings = every_100_ms(20);
    readings.add(watts, t0 + 450ms);
    EXPECT_EQ(readings.mean_over(t0, t0 + 1s, kLimits).fault, Fault::missing);
  }
}

TEST(PowerReadings, FewerThanNeededAreTooFew) {
  PowerReadings readings;
  readings.add(20, t0 + 300ms);
  readings.add(20, t0 + 500ms);
  EXPECT_EQ(readings.mean_over(t0, t0 + 600ms, kLimits).fault, Fault::too_few);
}

TEST(PowerReadings, AnIntervalWithoutLengthHasNoMean) {
  PowerReadings readings;
  readings.add(20, t0);
  EXPECT_EQ(readings.mean_over(t0, t0, {0ms, 300ms, 1}).fault, Fault::too_few);
}

RC_GTEST_PROP(PowerReadings, MeanIsAmongTheReadingsThatCount, ()) {
  const auto window = *rc::gen::inRange(0, 300) * 1ms;
  const TimePoint from = t0 + *rc::gen::inRange(0, 500) * 1ms;
  const TimePoint to = from + *rc::gen::inRange(1, 2000) * 1ms;
  PowerReadings readings;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const int count = *rc::gen::inRange(0, 60);
  for (int i = 0; i < count; ++i) {
    const TimePoint at = t0 + *rc::gen::inRange(0, 3000) * 1ms;
    const bool counts = at - window >= from && at <= to;
    const double watts = counts ? *rc::gen::inRange(10, 50) : 1e6;
    readings.add(watts, at);
    if (!counts) continue;
    low = std::min(low, watts);
    high = std::max(high, watts);
  }
  const auto mean = readings.mean_over(from, to, {window, 10s, 1});
  RC_ASSERT((mean.fault == Fault::none) == (high > 0));
  if (mean.fault != Fault::none) return;
  RC_ASSERT(mean.watts >= low - 1e-9);
  RC_ASSERT(mean.watts <= high + 1e-9);
}

}  // namespace
}  // namespace fulcrum::profiler

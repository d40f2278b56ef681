#include "daemon/power_meter.h"

#include <gtest/gtest.h>

namespace fulcrum::daemon {
namespace {

const TimePoint kBegin{std::chrono::seconds(5)};

TEST(PowerMeter, KnowsNothingBeforeItHasReadings) {
  PowerMeter meter;
  EXPECT_EQ(meter.mean_w(), std::nullopt);
  EXPECT_EQ(meter.peak_w(), std::nullopt);
  meter.add(20, kBegin);
  EXPECT_EQ(meter.mean_w(), std::nullopt) << "one reading covers no time";
  EXPECT_EQ(meter.peak_w(), 20);
}

TEST(PowerMeter, WeighsReadingsByTheTimeUntilTheNext) {
  PowerMeter meter;
  meter.add(10, kBegin);
  meter.add(40, kBegin + from_ms(300));
  meter.add(0, kBegin + from_ms(400));
  EXPECT_NEAR(*meter.mean_w(), (10 * 0.3 + 40 * 0.1) / 0.4, 1e-9);
  EXPECT_EQ(meter.peak_w(), 40);
}

}  // namespace
}  // namespace fulcrum::daemon

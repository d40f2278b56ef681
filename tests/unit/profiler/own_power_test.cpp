#include "profiler/own_power.h"

#include <gtest/gtest.h>

namespace fulcrum::profiler {
namespace {

constexpr std::chrono::seconds kInterval{10};

TEST(OwnPower, AloneItIsTheMean) {
  EXPECT_DOUBLE_EQ(own_power_w(25, kInterval, kInterval, {}, 8).value(), 25);
}

TEST(OwnPower, OthersAndIdleTimeAreTakenOutByTheirShare) {
  // 6 s at 30 W, 3 s at 20 W, 1 s at 10 W.
  const double mean_w = 0.6 * 30 + 0.3 * 20 + 0.1 * 10;
  const auto own =
      own_power_w(mean_w, kInterval, std::chrono::seconds(6), {{std::chrono::seconds(3), 20}}, 10);
  EXPECT_NEAR(own.value(), 30, 1e-9);
}

TEST(OwnPower, TooLowAnIdlePowerErrsOnTheHighSide) {
  const double mean_w = 0.9 * 30 + 0.1 * 10;
  EXPECT_GT(own_power_w(mean_w, kInterval, std::chrono::seconds(9), {}, 5).value(), 30);
}

TEST(OwnPower, TooSmallAShareIsNoMeasurement) {
  EXPECT_FALSE(own_power_w(20, kInterval, std::chrono::seconds(2), {{std::chrono::seconds(8), 20}}, 10));
}

TEST(OwnPower, PartsThatDoNotAddUpAreNoMeasurement) {
  EXPECT_FALSE(own_power_w(10, kInterval, std::chrono::seconds(5), {{std::chrono::seconds(5), 30}}, 8));
}

}  // namespace
}  // namespace fulcrum::profiler

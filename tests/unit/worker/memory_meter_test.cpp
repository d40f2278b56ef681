#include "worker/memory_meter.h"

#include <gtest/gtest.h>

#include <vector>

namespace fulcrum::worker {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

MemoryReading reading(std::int64_t resident, std::int64_t peak, std::int64_t available = 8000) {
  return {resident * kMiB, peak * kMiB, available * kMiB};
}

TEST(MemoryMeter, CountsWhatLoadingLeavesAndStepsAdd) {
  MemoryMeter meter;
  EXPECT_EQ(meter.peak_bytes(), 0);
  meter.begin(reading(100, 100));
  meter.loaded(reading(140, 170));
  EXPECT_EQ(meter.peak_bytes(), 40 * kMiB);
  // Another job has grown by 60 between the two.
  meter.step(reading(200, 200), reading(205, 230));
  EXPECT_EQ(meter.peak_bytes(), 70 * kMiB);
  meter.step(reading(205, 205), reading(205, 210));
  EXPECT_EQ(meter.peak_bytes(), 70 * kMiB);
}

TEST(MemoryMeter, WhereTheDeviceTakesTheMachinesMemoryThatCounts) {
  MemoryMeter meter(true);
  meter.begin(reading(100, 100, 8000));
  meter.loaded(reading(110, 110, 7500));
  EXPECT_EQ(meter.peak_bytes(), 500 * kMiB);
  meter.step(reading(110, 110, 7500), reading(110, 112, 6800));
  EXPECT_EQ(meter.peak_bytes(), 1200 * kMiB);
}

TEST(MemoryReadings, AreOfThisProcess) {
  reset_memory_peak();
  const auto before = read_memory();
  ASSERT_TRUE(before) << before.error().to_string();
  {
    const std::vector<char> large(64 * kMiB, 'x');
    ASSERT_EQ(large.back(), 'x');
  }
  const auto after = read_memory();
  ASSERT_TRUE(after);
  EXPECT_GE(after->peak_bytes - before->resident_bytes, 60 * kMiB);
  EXPECT_GT(after->available_bytes, 0);
}

TEST(MemoryReadings, LackingAFigureSaySo) {
  EXPECT_TRUE(parse_memory("VmHWM:\t 5 kB\nVmRSS:\t 3 kB\n", "MemAvailable:  7 kB\n"));
  EXPECT_FALSE(parse_memory("VmHWM:\t 5 kB\n", "MemAvailable:  7 kB\n"));
  EXPECT_FALSE(parse_memory("VmHWM:\t 5 kB\nVmRSS:\t x kB\n", "MemAvailable:  7 kB\n"));
  EXPECT_FALSE(parse_memory("VmHWM:\t 5 kB\nVmRSS:", "MemAvailable:  7 kB\n"));
}

}  // namespace
}  // namespace fulcrum::worker

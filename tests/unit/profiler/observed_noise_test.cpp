#include "profiler/observed_noise.h"

#include <gtest/gtest.h>

#include "some_measurement.h"

namespace fulcrum::profiler {
namespace {

Measurement measured(int cores, double p99_ms, double power_w) {
  auto m = test::some_measurement();
  m.key.mode.cpu_cores = cores;
  m.time.p99_ms = p99_ms;
  m.power_w = power_w;
  return m;
}

TEST(ObservedNoise, IsWhatIsExpectedWhileNothingWasRepeated) {
  const auto noise = observed_noise({measured(4, 10, 20), measured(8, 30, 40)});
  EXPECT_DOUBLE_EQ(noise.time, .03);
  EXPECT_DOUBLE_EQ(noise.power, .02);
}

TEST(ObservedNoise, IsLearnedFromRepetitions) {
  std::vector<Measurement> all;
  for (int key = 1; key <= 200; ++key) {
    all.push_back(measured(key, 9, 20.2));
    all.push_back(measured(key, 11, 19.8));
  }
  const auto noise = observed_noise(all);
  EXPECT_NEAR(noise.time, .141, .005) << "10 % above and below the mean, one degree of freedom";
  EXPECT_NEAR(noise.power, .0141, .0008);
}

TEST(ObservedNoise, LeavesOutWhatOthersDisturbed) {
  auto disturbed = measured(4, 30, 35);
  disturbed.foreign_gpu_load = .5;
  EXPECT_DOUBLE_EQ(observed_noise({measured(4, 10, 20), disturbed}).time, .03);
}

TEST(ObservedNoise, IsNeverNoneNorAll) {
  std::vector<Measurement> same, wild;
  for (int i = 0; i < 2000; ++i) {
    same.push_back(measured(4, 10, 20));
    wild.push_back(measured(4, i % 2 == 0 ? 1 : 100, 20));
  }
  EXPECT_DOUBLE_EQ(observed_noise(same).time, .005);
  EXPECT_DOUBLE_EQ(observed_noise(wild).time, .2);
}

}  // namespace
}  // namespace fulcrum::profiler

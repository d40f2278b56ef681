#include "eval/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "eval/statistics.h"

namespace fulcrum::eval {
namespace {

const scheduler::Profile kExact{WorkloadTask::training, {4, 1000, 2000, 3000}, 16, 50, 60, 30};

TEST(Noises, AreTheSameForTheSameMeasurement) {
  const Noise noise{.03, .02, 7};
  EXPECT_EQ(noise.measured("net", kExact, 3).p50_ms, noise.measured("net", kExact, 3).p50_ms);
}

TEST(Noises, DifferByEverythingThatTellsMeasurementsApart) {
  const Noise noise{.03, .02, 7};
  const double time = noise.measured("net", kExact, 3).p50_ms;
  EXPECT_NE(noise.measured("net", kExact, 4).p50_ms, time);
  EXPECT_NE(noise.measured("other", kExact, 3).p50_ms, time);
  EXPECT_NE((Noise{.03, .02, 8}.measured("net", kExact, 3).p50_ms), time);
  auto other = kExact;
  other.mode.gpu_hz = 2001;
  EXPECT_NE(noise.measured("net", other, 3).p50_ms, time);
  other = kExact;
  other.task = WorkloadTask::inference;
  EXPECT_NE(noise.measured("net", other, 3).p50_ms, time);
}

TEST(Noises, HaveTheSpreadThatWasAskedFor) {
  const Noise noise{.03, .02, 1};
  std::vector<double> times, powers;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const auto measured = noise.measured("net", kExact, i);
    times.push_back(std::log(measured.p50_ms / kExact.p50_ms));
    powers.push_back(std::log(measured.power_w / kExact.power_w));
  }
  const auto deviation = [](const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values)
      squares += value * value;
    return std::sqrt(squares / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(mean_of(times), 0, .002);
  EXPECT_NEAR(deviation(times), .03, .002);
  EXPECT_NEAR(deviation(powers), .02, .001);
}

TEST(Noises, OfNothingChangeNothing) {
  EXPECT_EQ((Noise{0, 0, 1}.measured("net", kExact, 1).p50_ms), 50);
}

}  // namespace
}  // namespace fulcrum::eval

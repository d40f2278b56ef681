#include "networks/network_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace fulcrum::networks {
namespace {

using scheduler::LearnedPoint;
using scheduler::LearnerPoint;
using scheduler::Profile;

// A board that does nothing that physics' terms could say exactly: the slowest part alone decides.
Profile measured(const PowerMode& mode, int batch) {
  const double cpu = 30e6 / static_cast<double>(mode.cpu_khz) / std::sqrt(mode.cpu_cores);
  const double gpu = 2e9 * (2 + batch) / static_cast<double>(mode.gpu_hz);
  const double emc = 4e9 * (1 + batch) / static_cast<double>(mode.emc_hz);
  const double time_ms = 2 + std::max({cpu, gpu, emc});
  const double ghz = static_cast<double>(mode.gpu_hz) / 1e9;
  const double power_w = 8 + 0.4 * mode.cpu_cores + 20 * ghz * ghz * gpu / time_ms;
  return {WorkloadTask::inference, mode, batch, time_ms, time_ms, power_w};
}

std::vector<Profile> everything() {
  std::vector<Profile> all;
  for (const int cores : {4, 8, 12}) {
    for (std::int64_t cpu = 400000; cpu <= 2200000; cpu += 300000) {
      for (std::int64_t gpu = 100000000; gpu <= 1300000000; gpu += 200000000) {
        for (const std::int64_t emc : {700000000L, 2100000000L, 3200000000L}) {
          for (const int batch : {1, 8})
            all.push_back(measured({cores, cpu, gpu, emc}, batch));
        }
      }
    }
  }
  return all;
}

std::vector<Profile> every(const std::vector<Profile>& all, std::size_t step) {
  std::vector<Profile> some;
  for (std::size_t i = 0; i < all.size(); i += step)
    some.push_back(all[i]);
  return some;
}

std::vector<LearnerPoint> points_of(const std::vector<Profile>& profiles) {
  std::vector<LearnerPoint> points;
  points.reserve(profiles.size());
  for (const auto& profile : profiles)
    points.push_back({profile.mode, profile.batch_size});
  return points;
}

std::vector<LearnedPoint> learn(const std::vector<Profile>& samples, const std::vector<LearnerPoint>& points,
                                std::uint64_t seed = 1) {
  return make_network_learner()->learn(samples, points, seed).value();
}

TEST(NetworkLearner, PredictsWhatIsNotMeasured) {
  const auto all = everything();
  const auto learned = learn(every(all, 13), points_of(all));
  double time_error = 0;
  double power_error = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    time_error += std::abs(std::log(learned[i].time_ms / all[i].p50_ms)) / static_cast<double>(all.size());
    power_error += std::abs(std::log(learned[i].power_w / all[i].power_w)) / static_cast<double>(all.size());
  }
  EXPECT_LT(time_error, 0.1);
  EXPECT_LT(power_error, 0.05);
}

TEST(NetworkLearner, GivesTheSameForTheSameSeed) {
  const auto all = every(everything(), 29);
  const auto one = learn(every(all, 3), points_of(all), 7);
  const auto same = learn(every(all, 3), points_of(all), 7);
  const auto other = learn(every(all, 3), points_of(all), 8);
  bool differs = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(one[i].time_ms, same[i].time_ms);
    EXPECT_EQ(one[i].power_w, same[i].power_w);
    EXPECT_EQ(one[i].time_spread, same[i].time_spread);
    differs = differs || one[i].time_ms != other[i].time_ms;
  }
  EXPECT_TRUE(differs);
}

TEST(NetworkLearner, DoesNotMindWhatElseIsAskedFor) {
  const auto all = every(everything(), 29);
  const auto samples = every(all, 3);
  auto points = points_of(all);
  const auto front = learn(samples, points).front();
  points.insert(points.end(), points.begin(), points.end());
  EXPECT_NEAR(learn(samples, points).front().time_ms, front.time_ms, 1e-3 * front.time_ms);
}

TEST(NetworkLearner, DisagreesMoreFarFromItsSamples) {
  const auto all = everything();
  std::vector<Profile> slow;
  for (const auto& profile : all) {
    if (profile.mode.gpu_hz <= 500000000 && profile.mode.cpu_khz <= 1000000) slow.push_back(profile);
  }
  const auto learned = learn(every(slow, 3), points_of(all));
  double near = 0;
  double far = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool known = all[i].mode.gpu_hz <= 500000000 && all[i].mode.cpu_khz <= 1000000;
    (known ? near : far) = std::max(known ? near : far, learned[i].time_spread);
  }
  EXPECT_GT(far, near);
}

TEST(NetworkLearner, LearnsFromASingleSample) {
  const auto sample = measured({8, 1000000, 700000000, 2100000000}, 8);
  const auto learned = learn({sample}, {{sample.mode, 8}, {{12, 2200000, 1300000000, 3200000000}, 8}});
  EXPECT_NEAR(learned[0].time_ms, sample.p50_ms, 0.05 * sample.p50_ms);
  for (const auto& point : learned) {
    EXPECT_GT(point.time_ms, 0);
    EXPECT_TRUE(std::isfinite(point.time_ms) && std::isfinite(point.power_w));
  }
}

TEST(NetworkLearner, RefusesToLearnFromNothing) {
  const auto learned = make_network_learner()->learn({}, {{{8, 1000000, 700000000, 2100000000}, 8}}, 1);
  ASSERT_FALSE(learned.has_value());
  EXPECT_EQ(learned.error().code, ErrorCode::invalid_argument);
}

TEST(NetworkLearner, HasNothingToSayAboutNoPoints) {
  EXPECT_TRUE(learn({measured({8, 1000000, 700000000, 2100000000}, 8)}, {}).empty());
}

TEST(NetworkLearner, GivesTheSameOnAnotherThread) {
  const auto all = every(everything(), 29);
  const auto here = learn(every(all, 3), points_of(all)).front();
  LearnedPoint there;
  std::thread([&] { there = learn(every(all, 3), points_of(all)).front(); }).join();
  EXPECT_EQ(here.time_ms, there.time_ms);
  EXPECT_EQ(here.power_w, there.power_w);
}

}  // namespace
}  // namespace fulcrum::networks

#pragma once
// A learner without networks, for tests: a point is like the nearest sample, and the farther the less sure.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "scheduler/learner.h"
#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

class CheapLearner final : public Learner {
 public:
  Expected<std::vector<LearnedPoint>> learn(const std::vector<Profile>& samples,
                                            const std::vector<LearnerPoint>& points,
                                            std::uint64_t /*seed*/) const override {
    std::vector<LearnedPoint> learned;
    learned.reserve(points.size());
    for (const auto& point : points) {
      const auto nearest = std::min_element(
          samples.begin(), samples.end(),
          [&point](const Profile& a, const Profile& b) { return distance(a, point) < distance(b, point); });
      const double far = distance(*nearest, point);
      learned.push_back({nearest->p50_ms, nearest->power_w, far / 4, far / 8});
    }
    return learned;
  }

 private:
  static double distance(const Profile& sample, const LearnerPoint& point) {
    const auto apart = [](auto a, auto b) {
      return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
    };
    return apart(sample.mode.cpu_cores, point.mode.cpu_cores) +
           apart(sample.mode.cpu_khz, point.mode.cpu_khz) + apart(sample.mode.gpu_hz, point.mode.gpu_hz) +
           apart(sample.mode.emc_hz, point.mode.emc_hz) + apart(sample.batch_size, point.batch_size);
  }
};

// One that is there, and never succeeds.
class FailingLearner final : public Learner {
 public:
  Expected<std::vector<LearnedPoint>> learn(const std::vector<Profile>& /*samples*/,
                                            const std::vector<LearnerPoint>& /*points*/,
                                            std::uint64_t /*seed*/) const override {
    return fail(ErrorCode::internal, "learning a workload: no");
  }
};

inline StrategyTools cheap_tools(std::uint64_t seed = 1) {
  StrategyTools tools;
  tools.seed = seed;
  tools.learner = std::make_shared<CheapLearner>();
  return tools;
}

}  // namespace fulcrum::scheduler

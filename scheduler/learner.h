#pragma once
// What a strategy needs that learns a workload by neural networks (ALS, NN-N). Behind an interface, because
// the networks come from LibTorch, which the daemon does not load: they are fitted where it is, in the worker
// and in the evaluation.

#include <cstdint>
#include <vector>

#include "common/error.h"
#include "powermode/power_mode.h"
#include "scheduler/profile.h"

namespace fulcrum::scheduler {

struct LearnerPoint {
  PowerMode mode;
  int batch_size = 0;
};

// Of an ensemble of networks. The spreads are standard deviations of the logarithm: .05 is about 5 %.
struct LearnedPoint {
  double time_ms = 0;
  double power_w = 0;
  double time_spread = 0;
  double power_spread = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;

  // Fits to the samples, all of one workload and at least one, and predicts the points, in their order.
  // `p50_ms` of the samples is learned. The same arguments give the same numbers on the same machine. Takes
  // seconds. internal if the library fails.
  [[nodiscard]] virtual Expected<std::vector<LearnedPoint>> learn(const std::vector<Profile>& samples,
                                                                  const std::vector<LearnerPoint>& points,
                                                                  std::uint64_t seed) const = 0;
};

}  // namespace fulcrum::scheduler

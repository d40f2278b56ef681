#include "scheduler/acquisition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "scheduler/slack.h"

namespace fulcrum::scheduler {
namespace {

template <class Function>
double mean_over(const Function& f) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  double sum = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double a = normal(random);
    sum += f(a, normal(random));
  }
  return sum / kDraws;
}

double draw(const Belief& b, double z) {
  return std::exp(b.mean + b.deviation * z);
}

Problem problem_of(Policy policy) {
  Problem p;
  p.kind = ProblemKind::concurrent;
  p.policy = policy;
  p.latency_budget_ms = 600;
  p.arrival_rate_hz = 60;
  return p;
}

TEST(Acquisition, ChanceIsThatOfTheLogarithm) {
  EXPECT_NEAR(chance_below({std::log(20), .1}, 20), .5, 1e-12);
  EXPECT_NEAR(chance_below({std::log(20), .1}, 20 * std::exp(.1)), .8413, 1e-4);
  EXPECT_EQ(chance_below({std::log(20), .1}, 0), 0);
}

TEST(Acquisition, SavingIsTheExpectationOfTheLogarithmsDifference) {
  const Belief t{std::log(50), .2};
  EXPECT_NEAR(expected_saving(t, 45),
              mean_over([&](double z, double) { return std::max(0.0, std::log(45 / draw(t, z))); }), 1e-3);
}

TEST(Acquisition, LatencyGainIsTheExpectationInsideTheLimit) {
  const Belief t{std::log(30), .3};
  const auto gain = [&](double limit, double best) {
    return mean_over([&](double z, double) {
      const double ms = draw(t, z);
      return ms <= limit ? std::max(0.0, best - (20 + ms)) : 0;
    });
  };
  EXPECT_NEAR(expected_latency_gain(t, 20, 25, 60), gain(25, 60), .05);
  EXPECT_NEAR(expected_latency_gain(t, 20, 100, 45), gain(100, 45), .05);
  EXPECT_EQ(expected_latency_gain(t, 20, -1, 45), 0);
}

double sampled_throughput_gain(const Problem& p, int b, const Belief& tr, const Belief& in, double best) {
  const double w = p.window_ms(b);
  return mean_over([&](double z1, double z2) {
    const double t_tr = draw(tr, z1);
    const double t_in = draw(in, z2);
    const double fit = p.policy == Policy::managed
                           ? std::floor((w - t_in) / t_tr)
                           : slack_minibatches_per_window(
                                 {w, t_in, t_tr, slack_ms(p.latency_budget_ms, p.arrival_rate_hz, b, t_in)});
    return std::max(0.0, 1000 / w * fit - best);
  });
}

TEST(Acquisition, ThroughputGainCountsWholeMinibatchesUnderManaged) {
  const auto p = problem_of(Policy::managed);
  for (const double training_ms : {20.0, 70.0, 150.0}) {
    const Belief tr{std::log(training_ms), .05};
    const Belief in{std::log(60), .05};
    const double best = .8 * (266.7 - 60) / training_ms * 1000 / 266.7;
    EXPECT_NEAR(expected_throughput_gain(p, 16, tr, in, best), sampled_throughput_gain(p, 16, tr, in, best),
                .05 * best)
        << training_ms;
  }
}

TEST(Acquisition, ThroughputGainUnderSlackIsItsExpectation) {
  const auto p = problem_of(Policy::slack);
  for (const double training_ms : {20.0, 70.0, 400.0}) {
    const Belief tr{std::log(training_ms), .05};
    const Belief in{std::log(60), .05};
    const double best = .8 * (266.7 - 60) / training_ms * 1000 / 266.7;
    EXPECT_NEAR(expected_throughput_gain(p, 16, tr, in, best), sampled_throughput_gain(p, 16, tr, in, best),
                .1 * best)
        << training_ms;
  }
}

TEST(Acquisition, WhereNoMinibatchFitsThereIsNoGain) {
  const auto p = problem_of(Policy::managed);
  EXPECT_LT(expected_throughput_gain(p, 16, {std::log(5000), .1}, {std::log(60), .1}, 0), 1e-6);
}

}  // namespace
}  // namespace fulcrum::scheduler

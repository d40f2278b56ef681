#include "scheduler/slack.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace fulcrum::scheduler {
namespace {

double in_range(double least, double most) {
  return least + (most - least) * *rc::gen::inRange(0, 1000001) / 1e6;
}

// Window by window, as searches.md section 1 has it.
double by_simulation(const SlackCycle& c, int windows) {
  double ended = 0;
  double trained = 0;
  for (int k = 0; k < windows; ++k) {
    const double full = k * c.window_ms;
    const double fit = std::max(0.0, std::floor((full + c.slack_ms - ended) / c.training_ms + 1e-9));
    trained += fit;
    ended = std::max(full, ended + fit * c.training_ms) + c.inference_ms;
  }
  return trained / windows;
}

SlackCycle any_cycle() {
  SlackCycle c;
  c.window_ms = in_range(10, 1000);
  c.inference_ms = in_range(.01, 1) * c.window_ms;
  c.training_ms = in_range(1, 800);
  c.slack_ms = in_range(0, 1500);
  return c;
}

RC_GTEST_PROP(Slack, IsWhatASimulationComesTo, ()) {
  const auto c = any_cycle();
  constexpr int kWindows = 20000;
  const double most_in_a_window = c.window_ms / c.training_ms + 2;
  RC_ASSERT(std::abs(slack_minibatches_per_window(c) - by_simulation(c, kWindows)) <
            2e-3 * most_in_a_window + 1e-3);
}

RC_GTEST_PROP(Slack, IsNeverLessThanManagedNorMoreThanThereIsTimeFor, ()) {
  const auto c = any_cycle();
  const double managed = std::floor((c.window_ms - c.inference_ms) / c.training_ms);
  const double all = (c.window_ms - c.inference_ms) / c.training_ms;
  const double slack = slack_minibatches_per_window(c);
  RC_ASSERT(slack >= managed - 1e-6);
  RC_ASSERT(slack <= all + 1e-6);
}

TEST(Slack, TrainsWhereNoMinibatchFitsBetweenTwoWindows) {
  // Of every two windows one is long enough: 40 ms are free in each, a minibatch takes 60.
  const SlackCycle c{100, 60, 60, 40};
  EXPECT_GT(slack_minibatches_per_window(c), .3);
  EXPECT_LT(slack_minibatches_per_window(c), .7);
}

TEST(Slack, IsNothingWhereInferenceDoesNotKeepUp) {
  EXPECT_EQ(slack_minibatches_per_window({100, 101, 5, 500}), 0);
  EXPECT_EQ(slack_minibatches_per_window({100, 50, 5, -1}), 0);
}

TEST(Slack, CountsFromTheOldestRequestOfABatch) {
  // At 50/s the first of four has waited 60 ms when the batch is full.
  EXPECT_DOUBLE_EQ(slack_ms(200, 50, 4, 30), 200 - 60 - 30);
}

}  // namespace
}  // namespace fulcrum::scheduler

// The executor while the daemon changes modes and measures.

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/worker/executor_harness.h"

namespace fulcrum::worker {
namespace {

TEST(Executor, WhileHeldNothingRunsUntilTheNextPlan) {
  Script script;
  script.training_steps = 1'000'000;
  Harness harness(script);
  harness.start(1, test::training_spec());
  while (script.steps < 10)
    std::this_thread::yield();
  harness.hold();
  const int steps = script.steps;
  for (int round = 0; round < 10; ++round)
    harness.hold();
  EXPECT_EQ(script.steps, steps);
  harness.executor().set_plan({harness.plan(), {}, {}});
  while (script.steps == steps)
    std::this_thread::yield();
}

TEST(Executor, AProbeRunsStepsThatLeaveNoTraceInPlaceOfTraining) {
  Script script;
  script.training_steps = 1'000'000;
  Harness harness(script);
  harness.start(1, test::training_spec());
  while (script.steps < 10)
    std::this_thread::yield();
  const int measured = script.trial_steps;
  harness.hold();
  const int steps = script.steps;
  harness.executor().set_plan({harness.plan(), {}, ProbeOrder{1, 16, 0}});
  while (script.trial_steps < measured + 10)
    std::this_thread::yield();
  EXPECT_EQ(script.steps, steps);
  harness.executor().set_plan({harness.plan(), {}, {}});
  while (script.steps == steps)
    std::this_thread::yield();
  harness.shut_down();
  const auto probed = probe_slices_of(harness);
  EXPECT_GE(probed.size(), 10U);
  EXPECT_EQ(probed.front().job, 1);
  EXPECT_EQ(probed.front().batch_size, 16);
}

TEST(Executor, RequestsAreAnsweredBetweenTheStepsOfAProbe) {
  Script script;
  script.training_steps = 1'000'000;
  Harness harness(script);
  harness.start(1, test::inference_spec(500, 0.1));
  harness.start(2, test::training_spec());
  while (script.steps < 1)
    std::this_thread::yield();
  harness.executor().set_plan({harness.plan(), {}, ProbeOrder{2, 16, 0}});
  EXPECT_EQ(harness.wait_for_end(1).progress.at("served"), 50);
}

TEST(Executor, AProbeOfAJobThatIsGoneIsNoProbe) {
  Script script;
  Harness harness(script);
  harness.executor().set_plan({{}, {}, ProbeOrder{7, 16, 0}});
  harness.start(1, test::training_spec());
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::done);
}

TEST(Executor, StoppingAJobEndsItsProbe) {
  Script script;
  script.training_steps = 1'000'000;
  Harness harness(script);
  harness.start(1, test::training_spec());
  while (script.steps < 1)
    std::this_thread::yield();
  harness.executor().set_plan({harness.plan(), {}, ProbeOrder{1, 16, 0}});
  harness.executor().stop({1});
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::stopped);
}

TEST(Executor, InAnotherModeStepsLastAsTheyDoThere) {
  Script script;
  script.training_steps = 1'000'000;
  Harness harness(script);
  harness.start(1, test::training_spec(), Pace{{{16, 1, 1}}, 1.0});
  while (script.steps < 3)
    std::this_thread::yield();
  auto plan = harness.plan();
  plan.mode = PowerMode{4, 1, 1, 1};
  harness.executor().set_plan({plan, {{1, {{16, 8, 1}}}}, ProbeOrder{1, 16, 0}});
  while (script.trial_steps < 3)
    std::this_thread::yield();
  harness.shut_down();
  for (const auto& slice : probe_slices_of(harness))
    EXPECT_GE(to_ms(Duration(slice.ended_ns - slice.started_ns)), 8.0);
}

TEST(Executor, WhatIsNotToBeMeasuredIsReadyAtOnce) {
  Script script;
  Harness harness(script, Harness::Plans::none);
  StartJob start;
  start.job = 1;
  start.spec = test::training_spec();
  start.measure = false;
  harness.executor().start(start);
  harness.wait_until([&] { return harness.has<JobReady>(); });
  EXPECT_TRUE(harness.received<JobReady>().front().step_times.empty());
  EXPECT_EQ(script.trial_steps, 0);
}

}  // namespace
}  // namespace fulcrum::worker

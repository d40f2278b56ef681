// The executor with workloads that cost nothing: what it runs, what it tells, how it ends. Real threads, no
// durations.

#include "worker/executor.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/worker/executor_harness.h"

namespace fulcrum::worker {
namespace {

TEST(Executor, MeasuresTrainsAndTellsTheResult) {
  Script script;
  Harness harness(script);
  harness.start(1, test::training_spec());
  const auto ended = harness.wait_for_end(1);
  EXPECT_EQ(ended.outcome, Outcome::done);
  EXPECT_EQ(script.steps, 20);
  EXPECT_GT(script.trial_steps, 0);
  EXPECT_EQ(script.finished, 1);
  EXPECT_EQ(ended.result.at("weights_digest"), "abc");
  EXPECT_EQ(ended.result.at("minibatch"), 20);
}

TEST(Executor, TellsOfAnEpochAtOnce) {
  Script script;
  script.ends_epochs = true;
  Harness harness(script);
  harness.start(1, test::training_spec());
  harness.wait_for_end(1);
  const auto told = harness.received<JobProgress>();
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().progress.at("minibatch"), 1) << "when the first step had ended the first epoch";
  EXPECT_LT(told.size(), 20U) << "epochs of no length are told together";
}

TEST(Executor, EndsARunThatWasResumedAtItsEnd) {
  Script script;
  script.training_steps = 0;
  Harness harness(script);
  harness.start(1, test::training_spec(), Pace{{{16, 4, 2}}, 1.0});
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::done);
  EXPECT_EQ(script.steps, 0);
  EXPECT_EQ(script.finished, 1);
}

TEST(Executor, AnswersEveryRequestOfAReplay) {
  Script script;
  Harness harness(script);
  harness.start(1, test::inference_spec(200, 0.3));
  const auto ended = harness.wait_for_end(1);
  EXPECT_EQ(ended.outcome, Outcome::done);
  EXPECT_EQ(ended.result.at("served"), 60);
  EXPECT_EQ(ended.result.at("accuracy"), 1.0);
}

TEST(Executor, TrainsAndInfersTogether) {
  Script script;
  Harness harness(script);
  harness.start(1, test::inference_spec(100, std::nullopt));
  harness.start(2, test::training_spec());
  EXPECT_EQ(harness.wait_for_end(2).outcome, Outcome::done);
  harness.executor().stop({1});
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::stopped);
}

TEST(Executor, StoppingClosesTheJobWithItsLastState) {
  Script script;
  script.ready = false;  // data never comes
  Harness harness(script);
  harness.start(1, test::training_spec());
  harness.wait_until([&] { return script.trial_steps > 0; });
  harness.executor().stop({1});
  const auto ended = harness.wait_for_end(1);
  EXPECT_EQ(ended.outcome, Outcome::stopped);
  EXPECT_EQ(ended.error, std::nullopt);
  EXPECT_EQ(script.closed, 1);
  EXPECT_EQ(script.steps, 0);
}

TEST(Executor, WakesWhenDataArrives) {
  Script script;
  script.ready = false;
  Harness harness(script);
  harness.start(1, test::training_spec());
  while (harness.received<JobReady>().empty())
    std::this_thread::yield();
  script.ready = true;
  script.wake();
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::done);
}

TEST(Executor, AFailedStepEndsItsJobAndNoOther) {
  Script script;
  script.fail_at_step = 5;
  Harness harness(script);
  harness.start(1, test::training_spec());
  const auto ended = harness.wait_for_end(1);
  EXPECT_EQ(ended.outcome, Outcome::failed);
  EXPECT_EQ(ended.error->message, "the disk is gone");
  EXPECT_EQ(ended.progress.at("minibatch"), 5);
  script.fail_at_step = -1;
  harness.start(2, test::training_spec());
  EXPECT_EQ(harness.wait_for_end(2).outcome, Outcome::done);
}

TEST(Executor, AJobThatCannotBeLoadedEndsWithTheReason) {
  Script script;
  script.fail_load = true;
  Harness harness(script);
  harness.start(1, test::training_spec());
  const auto ended = harness.wait_for_end(1);
  EXPECT_EQ(ended.outcome, Outcome::failed);
  EXPECT_EQ(ended.error->message, "no such file");
}

TEST(Executor, StoppingAnUnknownJobIsNothing) {
  Script script;
  Harness harness(script);
  harness.executor().stop({99});
  harness.start(1, test::training_spec());
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::done);
}

TEST(Executor, ShutsDownWithAllJobsClosed) {
  Script script;
  script.training_steps = 1 << 30;
  Harness harness(script);
  harness.start(1, test::training_spec());
  harness.start(2, test::inference_spec(100, std::nullopt));
  while (harness.received<JobReady>().size() < 2)
    std::this_thread::yield();
  harness.shut_down();
  EXPECT_EQ(harness.wait_for_end(1).outcome, Outcome::stopped);
  const auto inference = harness.wait_for_end(2);
  EXPECT_EQ(inference.outcome, Outcome::stopped);
  EXPECT_FALSE(inference.resume.is_null());
  EXPECT_EQ(script.closed, 1);
}

TEST(Executor, OnASimulatedBoardStepsLastAndAreReportedAsLoad) {
  Script script;
  script.training_steps = 10;
  Harness harness(script);
  harness.start(1, test::training_spec(), Pace{{{16, 4, 2}}, 1.0});
  const auto ended = harness.wait_for_end(1);
  EXPECT_EQ(script.trial_steps, 0) << "kappa is known: nothing to measure";
  EXPECT_DOUBLE_EQ(harness.received<JobReady>().front().step_times.front().p99_ms, 4);
  harness.shut_down();
  double busy_ms = 0;
  for (const auto& slice : slices_of(harness))
    busy_ms += to_ms(Duration(slice.ended_ns - slice.started_ns));
  EXPECT_GE(busy_ms, 40.0) << "ten steps of at least 4 ms";
}

TEST(Executor, ALongStepIsReportedWhileItLasts) {
  Script script;
  script.training_steps = 1;
  Harness harness(script);
  harness.start(1, test::training_spec(), Pace{{{16, 120, 2}}, 1.0});
  harness.wait_for_end(1);
  const auto loads = harness.received<Load>();
  const auto begun =
      std::find_if(loads.begin(), loads.end(), [](const auto& load) { return load.running.has_value(); });
  ASSERT_NE(begun, loads.end());
  harness.shut_down();
  EXPECT_EQ(begun->running->started_ns, slices_of(harness).front().started_ns);
}

}  // namespace
}  // namespace fulcrum::worker

// What a job may say of its optimization does what it says, and a run with it is resumed bit for bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/workloads/tiny_job.h"
#include "workloads/runtime.h"
#include "workloads/training_run.h"

namespace fulcrum::workloads {
namespace {

using testing::HasSubstr;

// A tiny job with these fields besides.
class TrainingOptions : public ::testing::TestWithParam<const char*> {
 protected:
  JobSpec job(const std::string& fields) {
    Json json = test::tiny_training_job(directory_.path()).to_json();
    json.merge_patch(Json::parse(fields));
    const auto spec = JobSpec::from_json(json);
    EXPECT_TRUE(spec) << (spec ? "" : spec.error().front().to_string());
    return spec.value();
  }
  Expected<std::unique_ptr<TrainingRun>> create(const JobSpec& spec, const std::string& name) {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / name;
    options.clock = &clock_;
    return test::create_training_run(spec, options);
  }
  std::unique_ptr<TrainingRun> open(const JobSpec& spec, const std::string& name) {
    auto run = create(spec, name);
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }
  static void steps(TrainingRun& run, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto step = run.step();
      ASSERT_TRUE(step) << step.error().to_string();
    }
  }
  std::string digest_after(const std::string& fields, std::uint64_t n) {
    const auto run = open(job(fields), "run-" + std::to_string(++runs_));
    steps(*run, n);
    return run->weights_digest();
  }

  test::TempDir directory_;
  ManualClock clock_;
  int runs_ = 0;
};

using ResumedWith = TrainingOptions;

// At every step: between epochs, in the warm-up and in a validation too.
TEST_P(ResumedWith, IsBitIdentical) {
  const JobSpec spec = job(GetParam());
  const auto undisturbed = open(spec, "undisturbed");
  steps(*undisturbed, test::kTinySteps);
  for (std::uint64_t i = 0; i < test::kTinySteps; ++i) {
    const auto run = open(spec, "run");
    EXPECT_EQ(run->steps_done(), i);
    steps(*run, 1);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  const auto run = open(spec, "run");
  EXPECT_TRUE(run->finished());
  EXPECT_EQ(run->weights_digest(), undisturbed->weights_digest());
  EXPECT_EQ(run->progress().to_json().dump(), undisturbed->progress().to_json().dump());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ResumedWith,
    testing::Values(
        R"({"optimizer": {"nesterov": true, "weight_decay": 0.001}, "schedule": {"name": "step"}})",
        R"({"optimizer": {"name": "adam", "momentum": null}, "schedule": {"name": "cosine", "warmup_steps": 4}})",
        R"({"optimizer": {"name": "adamw", "momentum": null}, "schedule": {"warmup_steps": 9}})",
        R"({"optimizer": {"name": "rmsprop", "momentum": 0.5, "lr": 0.001}, "clip_gradients": {"value": 0.01}})",
        R"({"optimizer": {"name": "rmsprop", "momentum": 0, "lr": 0.001}, "loss": "mse"})",
        R"({"micro_batch_size": 3, "clip_gradients": {"norm": 0.5}, "loss": "bce_with_logits"})",
        R"({"model": {"builtin": "mlp"}})", R"({"model": {"builtin": "lstm"}})"));

TEST_F(TrainingOptions, EachChangesTheWeights) {
  const auto plain = digest_after("{}", 8);
  for (const char* fields :
       {R"({"optimizer": {"nesterov": true}})", R"({"optimizer": {"weight_decay": 0.1}})",
        R"({"optimizer": {"name": "adam", "momentum": null}})", R"({"loss": "mse"})",
        R"({"schedule": {"name": "step", "gamma": 0.5}})", R"({"schedule": {"warmup_steps": 3}})",
        R"({"schedule": {"name": "cosine"}})", R"({"clip_gradients": {"norm": 0.001}})",
        R"({"clip_gradients": {"value": 0.0001}})"}) {
    EXPECT_NE(digest_after(fields, 8), plain) << fields;
  }
}

// With the rate at nothing, the second epoch teaches nothing.
TEST_F(TrainingOptions, TheScheduleGovernsTheRate) {
  const std::string fields =
      R"({"optimizer": {"momentum": 0}, "schedule": {"name": "cosine", "over_epochs": 1}})";
  EXPECT_EQ(digest_after(fields, 6), digest_after(fields, 12));
}

TEST_F(TrainingOptions, MicroBatchesAddUpToTheMinibatch) {
  const auto whole = open(job("{}"), "whole");
  const auto parts = open(job(R"({"micro_batch_size": 3})"), "parts");
  for (std::uint64_t i = 0; i < test::kTinySteps; ++i) {
    const auto one = whole->step().value();
    const auto other = parts->step().value();
    EXPECT_EQ(one.samples, other.samples);
    EXPECT_NEAR(one.loss, other.loss, 1e-4) << i;
  }
}

// The rate is so small that no validation is better than the first by as much as that.
constexpr const char* kStopsEarly = R"({"epochs": 9, "validation": {"every_epochs": 1},
  "optimizer": {"lr": 1e-9}, "early_stopping": {"patience": 2, "min_delta": 0.001}})";

TEST_F(TrainingOptions, StopsWhenNoValidationIsBetter) {
  const auto run = open(job(kStopsEarly), "run");
  while (!run->finished())
    steps(*run, 1);
  EXPECT_EQ(run->progress().epoch, 3);
  EXPECT_TRUE(run->progress().stopped_early);
  EXPECT_EQ(run->progress().validations.size(), 3U);
  ASSERT_TRUE(run->save_checkpoint());
  ASSERT_TRUE(run->flush_checkpoints());
}

TEST_F(TrainingOptions, WhatHasStoppedEarlyStaysStopped) {
  {
    const auto run = open(job(kStopsEarly), "run");
    while (!run->finished())
      steps(*run, 1);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  EXPECT_TRUE(open(job(kStopsEarly), "run")->finished());
}

TEST_F(TrainingOptions, SaysWhichStepEndsAnEpoch) {
  const auto run = open(job("{}"), "run");
  std::vector<std::uint64_t> ends;
  for (std::uint64_t i = 1; i <= test::kTinySteps; ++i) {
    const auto step = run->step();
    ASSERT_TRUE(step);
    if (step->ends_epoch) ends.push_back(i);
  }
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{6, 15, 24})) << "with the validations after epochs 2 and 3";
}

TEST_F(TrainingOptions, ThatIsNotDeterministicSaysSo) {
  EXPECT_TRUE(open(job("{}"), "one")->progress().deterministic);
  const JobSpec spec = job(R"({"deterministic": false})");
  {
    const auto run = open(spec, "other");
    EXPECT_FALSE(run->progress().deterministic);
    steps(*run, 2);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  EXPECT_EQ(open(spec, "other")->steps_done(), 2U);
}

TEST_F(TrainingOptions, AnotherScheduleIsAnotherJob) {
  {
    const auto run = open(job(R"({"schedule": {"name": "step"}})"), "run");
    steps(*run, 2);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  const auto run = create(job(R"({"schedule": {"name": "step", "gamma": 0.5}})"), "run");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("its /schedule/gamma is 0.1, this job's is 0.5"));
}

TEST_F(TrainingOptions, MixedPrecisionNeedsADeviceThatHasIt) {
  if (device_name() != "cpu") GTEST_SKIP() << "this device has it";
  const JobSpec spec = job(R"({"precision": "mixed"})");
  const auto able = check_device(spec);
  ASSERT_FALSE(able);
  EXPECT_EQ(able.error().field, "/precision");
  EXPECT_THAT(able.error().message, HasSubstr("needs a CUDA device"));
  EXPECT_FALSE(create(spec, "run"));
  EXPECT_TRUE(check_device(job("{}")));
}

}  // namespace
}  // namespace fulcrum::workloads

// What becomes of a minibatch whose loss is not a finite number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/script_models.h"
#include "tests/unit/workloads/tiny_job.h"
#include "workloads/job_trial.h"

namespace fulcrum::workloads {
namespace {

using testing::HasSubstr;

constexpr const char* kNoNumber = "x = x * float('nan')";

class NonFiniteLoss : public ::testing::Test {
 protected:
  std::unique_ptr<TrainingRun> open(const std::string& what_then, int first, int last, int epochs = 3) {
    spec_ = test::tiny_training_job(directory_.path());
    spec_.model = {};
    spec_.model.torchscript = test::save_script(directory_ / "model.pt",
                                                test::perceptron(test::forward_with(kNoNumber, first, last)));
    auto& training = std::get<TrainingSpec>(spec_.kind);
    training.optimization.non_finite_loss = what_then;
    training.epochs = epochs;
    training.validation.reset();
    return reopen();
  }
  std::unique_ptr<TrainingRun> reopen() {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / "run";
    options.clock = &clock_;
    auto run = test::create_training_run(spec_, options);
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec spec_;
};

TEST_F(NonFiniteLoss, StopsTheJobUnlessItSaysOtherwise) {
  const auto run = open("stop", 3, 3);
  ASSERT_TRUE(run->step());
  ASSERT_TRUE(run->step());
  const auto step = run->step();
  ASSERT_FALSE(step);
  EXPECT_THAT(step.error().message, HasSubstr("the loss is nan"));
  EXPECT_THAT(step.error().message, HasSubstr("non_finite_loss"));
}

TEST_F(NonFiniteLoss, SkippedLeavesTheNetworkAsItWas) {
  const auto run = open("skip", 3, 3);
  ASSERT_TRUE(run->step());
  ASSERT_TRUE(run->step());
  const auto before = run->weights_digest();
  const auto loss = run->progress().train_loss;
  const auto step = run->step();
  ASSERT_TRUE(step) << step.error().to_string();
  EXPECT_TRUE(step->skipped);
  EXPECT_TRUE(std::isnan(step->loss));
  EXPECT_EQ(run->weights_digest(), before) << "parameters and buffers";
  EXPECT_EQ(run->progress().train_loss, loss) << "it is in no mean";
  EXPECT_EQ(run->progress().minibatch, 3U) << "but it is behind us";
  EXPECT_EQ(run->progress().skipped_minibatches, 1U);
  const auto next = run->step();
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->skipped);
  EXPECT_NE(run->weights_digest(), before);
}

TEST_F(NonFiniteLoss, SkipsAreCountedOverAResumption) {
  {
    const auto run = open("skip", 2, 4);
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(run->step());
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  EXPECT_EQ(reopen()->progress().skipped_minibatches, 3U);
}

TEST_F(NonFiniteLoss, TooManySkipsInARowFailTheJob) {
  const auto run = open("skip", 1, 1000, 50);
  for (int i = 1; i < 100; ++i)
    ASSERT_TRUE(run->step()) << i;
  const auto step = run->step();
  ASSERT_FALSE(step);
  EXPECT_THAT(step.error().message, HasSubstr("100 minibatches in a row"));
}

TEST_F(NonFiniteLoss, MayBeLearnedFrom) {
  const auto run = open("continue", 2, 2);
  ASSERT_TRUE(run->step());
  const auto step = run->step();
  ASSERT_TRUE(step) << step.error().to_string();
  EXPECT_FALSE(step->skipped);
  const auto after = run->step();
  ASSERT_TRUE(after);
  EXPECT_TRUE(std::isnan(after->loss)) << "the weights are none any more";
}

TEST_F(NonFiniteLoss, IsNoReasonToRefuseAJob) {
  open("stop", 1, 1);
  EXPECT_TRUE(try_job(spec_).empty());
}

}  // namespace
}  // namespace fulcrum::workloads

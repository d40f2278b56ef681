#include "workloads/training_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "tests/unit/workloads/tiny_job.h"

namespace fulcrum::workloads {
namespace {

class Training : public ::testing::Test {
 protected:
  Expected<std::unique_ptr<TrainingRun>> create(const JobSpec& spec) {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / "checkpoints";
    options.clock = &clock_;
    return test::create_training_run(spec, options);
  }
  std::unique_ptr<TrainingRun> created(const JobSpec& spec) {
    auto run = create(spec);
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }
  static void finish(TrainingRun& run) {
    while (!run.finished())
      ASSERT_TRUE(run.step());
  }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec spec_ = test::tiny_training_job(directory_.path());
};

TEST_F(Training, LearnsToTellTheClassesApart) {
  auto training = *spec_.training();
  training.dataset = test::write_tiny_dataset(directory_.path(), "more", 256, 3, 4);
  training.epochs = 6;
  spec_.kind = training;
  const auto run = created(spec_);
  finish(*run);
  const auto progress = run->progress();
  ASSERT_EQ(progress.validations.size(), 3U);
  EXPECT_GE(progress.validations.back().accuracy, 0.95);
  EXPECT_LT(progress.train_loss, 0.2);
}

TEST_F(Training, ValidatesWhenDueAndAfterTheLastEpoch) {
  const auto run = created(spec_);
  std::string kinds;
  while (!run->finished())
    kinds += run->step().value().validation ? 'v' : 't';
  EXPECT_EQ(kinds, "ttttttttttttvvvttttttvvv");
  EXPECT_EQ(kinds.size(), test::kTinySteps);
  EXPECT_EQ(run->steps_done(), test::kTinySteps);
  const auto validations = run->progress().validations;
  ASSERT_EQ(validations.size(), 2U);
  EXPECT_EQ(validations[0].epoch, 2);
  EXPECT_EQ(validations[1].epoch, 3);
}

TEST_F(Training, WithoutValidationHasNone) {
  auto training = *spec_.training();
  training.validation.reset();
  spec_.kind = training;
  const auto run = created(spec_);
  finish(*run);
  EXPECT_EQ(run->steps_done(), 18U);
  EXPECT_TRUE(run->progress().validations.empty());
}

TEST_F(Training, TellsItsProgress) {
  const auto run = created(spec_);
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(run->step());
  const auto progress = run->progress();
  EXPECT_EQ(progress.epoch, 1);
  EXPECT_EQ(progress.epochs, 3);
  EXPECT_EQ(progress.minibatch, 2U);
  EXPECT_EQ(progress.minibatches_per_epoch, 6U);
  EXPECT_EQ(progress.samples_done, 44U + 16U);
  EXPECT_GT(progress.train_loss, 0);
  EXPECT_EQ(progress.to_json().at("samples_done"), 60);
}

TEST_F(Training, LastMinibatchOfAnEpochHoldsWhatIsLeft) {
  const auto run = created(spec_);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(run->step().value().samples, 8U);
  EXPECT_EQ(run->step().value().samples, 4U);
}

TEST_F(Training, AfterTheEndStepsNoMore) {
  const auto run = created(spec_);
  finish(*run);
  EXPECT_FALSE(run->ready());
  EXPECT_FALSE(run->step());
}

TEST_F(Training, TwoRunsOfOneSpecAreBitIdentical) {
  const auto first = created(spec_);
  finish(*first);
  test::RunOptions options;
  options.checkpoint_directory = directory_ / "other";
  options.clock = &clock_;
  const auto second = test::create_training_run(spec_, options).value();
  finish(*second);
  EXPECT_EQ(first->weights_digest(), second->weights_digest());
}

TEST_F(Training, AnotherSeedGivesOtherWeights) {
  const auto first = created(spec_)->weights_digest();
  spec_.seed = 6;
  EXPECT_NE(created(spec_)->weights_digest(), first);
}

TEST_F(Training, MeasuringChangesNothing) {
  const auto run = created(spec_);
  const auto before = run->snapshot().value().step;
  const auto weights = run->weights_digest();
  const auto trial = run->make_trial();
  ASSERT_TRUE(trial) << trial.error().to_string();
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE((*trial)->step());
  EXPECT_EQ(run->weights_digest(), weights);
  EXPECT_EQ(run->steps_done(), before);

  finish(*run);
  test::RunOptions options;
  options.checkpoint_directory = directory_ / "unmeasured";
  options.clock = &clock_;
  const auto unmeasured = test::create_training_run(spec_, options).value();
  finish(*unmeasured);
  EXPECT_EQ(run->weights_digest(), unmeasured->weights_digest());
}

TEST_F(Training, SaysWhenDataIsReady) {
  std::atomic<int> calls{0};
  test::RunOptions options;
  options.checkpoint_directory = directory_ / "checkpoints";
  options.clock = &clock_;
  options.on_ready = [&calls] { ++calls; };
  {
    const auto run = test::create_training_run(spec_, options).value();
    ASSERT_TRUE(run->step());
  }
  EXPECT_GE(calls.load(), 1);
}

TEST_F(Training, CheckpointIsDueByTimeAndAtTheEnd) {
  const auto run = created(spec_);
  clock_.advance(std::chrono::seconds(30));
  EXPECT_FALSE(run->checkpoint_due()) << "nothing has been learned yet";
  ASSERT_TRUE(run->step());
  EXPECT_TRUE(run->checkpoint_due());
  ASSERT_TRUE(run->save_checkpoint());
  EXPECT_FALSE(run->checkpoint_due());
  ASSERT_TRUE(run->step());
  EXPECT_FALSE(run->checkpoint_due());
  finish(*run);
  EXPECT_TRUE(run->checkpoint_due());
}

TEST_F(Training, WritesItsWeights) {
  const auto run = created(spec_);
  const std::string path = directory_ / "out.pt";
  ASSERT_TRUE(run->write_output(path));
  EXPECT_EQ(test::slurp(path).substr(0, 2), "PK") << "the zip archive that torch.jit.load reads";
  EXPECT_FALSE(run->write_output(directory_ / "absent/out.pt"));
}

TEST_F(Training, RefusesImagesOfAnotherSize) {
  auto training = *spec_.training();
  test::spill(std::get<IdxFiles>(training.dataset.source).images,
              test::idx_images(44, 1, 1, std::string(44, 'x')));
  const auto run = create(spec_);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("model 'lenet5' takes [1, 28, 28]"), std::string::npos);
}

TEST_F(Training, TwoRunsCannotShareCheckpoints) {
  const auto run = created(spec_);
  const auto second = create(spec_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
}

}  // namespace
}  // namespace fulcrum::workloads

// A run that was stopped and resumed ends with the weights of one that was not, bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/workloads/tiny_job.h"
#include "workloads/checkpoint_store.h"
#include "workloads/inference_run.h"
#include "workloads/training_checkpoint.h"
#include "workloads/training_run.h"

namespace fulcrum::workloads {
namespace {

class Resuming : public ::testing::Test {
 protected:
  test::RunOptions options(const std::string& name) {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / name;
    options.clock = &clock_;
    return options;
  }
  std::unique_ptr<TrainingRun> open(const std::string& name) {
    auto run = test::create_training_run(spec_, options(name));
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }
  static void steps(TrainingRun& run, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_TRUE(run.step());
  }
  static void finish(TrainingRun& run) {
    while (!run.finished())
      ASSERT_TRUE(run.step());
  }
  // A run that took `n` steps, saved itself and is gone.
  void leave_after(std::uint64_t n, const std::string& name) {
    const auto run = open(name);
    steps(*run, n);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  // Weights and results of the run that nobody disturbed.
  void expect_as_undisturbed(const TrainingRun& run) {
    if (undisturbed_ == nullptr) {
      undisturbed_ = open("undisturbed");
      finish(*undisturbed_);
    }
    EXPECT_EQ(run.weights_digest(), undisturbed_->weights_digest());
    EXPECT_EQ(run.progress().to_json(), undisturbed_->progress().to_json());
  }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec spec_ = test::tiny_training_job(directory_.path());
  std::unique_ptr<TrainingRun> undisturbed_;
};

TEST_F(Resuming, FromAnyStepIsBitIdentical) {
  for (std::uint64_t at = 0; at <= test::kTinySteps; ++at) {
    SCOPED_TRACE(at);
    const std::string name = "run-" + std::to_string(at);
    leave_after(at, name);
    const auto run = open(name);
    EXPECT_TRUE(run->resumed());
    EXPECT_EQ(run->steps_done(), at);
    finish(*run);
    expect_as_undisturbed(*run);
  }
}

TEST_F(Resuming, AfterEveryStepIsBitIdentical) {
  for (std::uint64_t i = 0; i < test::kTinySteps; ++i)
    leave_after(1, "run");
  const auto run = open("run");
  EXPECT_TRUE(run->finished());
  expect_as_undisturbed(*run);
}

TEST_F(Resuming, WithAnotherNumberOfLoaderWorkersIsBitIdentical) {
  leave_after(8, "run");
  const JobSpec before = spec_;
  auto training = *spec_.training();
  training.loader = {0, 1, 0};
  spec_.kind = training;
  const auto run = open("run");
  finish(*run);
  spec_ = before;
  expect_as_undisturbed(*run);
}

TEST_F(Resuming, KeepsTheThreadsThatTheRunBeganWith) {
  leave_after(8, "run");
  auto two_threads = options("run");
  two_threads.intra_op_threads = 2;
  const auto run = test::create_training_run(spec_, two_threads).value();
  EXPECT_EQ(decode_training_checkpoint(run->snapshot()->bytes)->learner.intra_op_threads, 1);
  finish(*run);
  expect_as_undisturbed(*run);
}

TEST_F(Resuming, OtherJobsInBetweenChangeNothing) {
  const auto inference =
      test::create_inference_run(test::tiny_inference_job(directory_.path()), {2, &clock_}).value();
  JobSpec other_spec = spec_;
  other_spec.seed = 77;
  const auto other = test::create_training_run(other_spec, options("other")).value();
  const auto run = open("run");
  while (!run->finished()) {
    steps(*run, 1);
    ASSERT_TRUE(inference->run({0, 1, 2}));
    if (!other->finished()) steps(*other, 1);
  }
  expect_as_undisturbed(*run);
}

TEST_F(Resuming, ABrokenNewestCheckpointGivesWayToTheOneBefore) {
  leave_after(5, "run");
  leave_after(4, "run");
  const std::string newest = directory_ / "run/checkpoint-000000000009.ckpt";
  std::string bytes = test::slurp(newest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  test::spill(newest, bytes);

  const auto run = open("run");
  EXPECT_EQ(run->steps_done(), 5U);
  EXPECT_EQ(run->warnings().size(), 1U);
  finish(*run);
  expect_as_undisturbed(*run);
}

TEST_F(Resuming, RefusesTheCheckpointOfADifferentJob) {
  leave_after(5, "run");
  auto training = *spec_.training();
  training.batch_size = 16;
  spec_.kind = training;
  spec_.seed = 12;
  const auto run = test::create_training_run(spec_, options("run"));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(run.error().message.find("its /batch_size is 8, this job's is 16"), std::string::npos);
  EXPECT_NE(run.error().message.find("its /seed is 5, this job's is 12"), std::string::npos);
}

TEST_F(Resuming, ALongerJobGoesOnWhereTheShorterOneEnded) {
  leave_after(test::kTinySteps, "run");
  auto training = *spec_.training();
  training.epochs = 4;
  spec_.kind = training;
  const auto run = open("run");
  EXPECT_FALSE(run->finished());
  finish(*run);
  EXPECT_EQ(run->progress().validations.back().epoch, 4);
}

TEST_F(Resuming, RefusesBytesThatAreNoTrainingCheckpoint) {
  { ASSERT_TRUE(CheckpointStore::open(directory_ / "run")->write(3, "not CBOR")); }
  const auto run = test::create_training_run(spec_, options("run"));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::corrupt);
}

TEST_F(Resuming, RefusesAnotherFormatVersion) {
  Json document{{"version", 2}};
  std::string bytes;
  Json::to_cbor(document, bytes);
  const auto checkpoint = decode_training_checkpoint(bytes);
  ASSERT_FALSE(checkpoint);
  EXPECT_EQ(checkpoint.error().code, ErrorCode::unsupported);
}

TEST_F(Resuming, CheckpointsKeepALossThatIsNotANumber) {
  TrainingCheckpoint checkpoint;
  checkpoint.position.epoch_loss_sum = std::numeric_limits<double>::quiet_NaN();
  checkpoint.position.last_epoch_loss = std::numeric_limits<double>::infinity();
  const auto again = decode_training_checkpoint(encode(checkpoint));
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(std::isnan(again->position.epoch_loss_sum));
  EXPECT_TRUE(std::isinf(again->position.last_epoch_loss));
}

}  // namespace
}  // namespace fulcrum::workloads

// Weights that change while they are served: which ones are handed on, and that no batch is answered by two.

#include "workloads/weights_follower.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>

#include "tests/unit/workloads/tiny_job.h"
#include "workloads/training_checkpoint.h"

namespace fulcrum::workloads {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Follower : public ::testing::Test {
 protected:
  // A checkpoint at this step, in the midst of an epoch or after a validation.
  void learn(std::uint64_t step, std::optional<ValidationResult> validated = std::nullopt) {
    TrainingCheckpoint checkpoint;
    checkpoint.position.steps = step;
    checkpoint.position.epoch = static_cast<int>(step / 10);
    checkpoint.position.minibatch = validated ? 0 : 3;
    if (validated) {
      validated->epoch = checkpoint.position.epoch;
      checkpoint.position.validations.push_back(*validated);
    }
    checkpoint.learner.model = "weights of step " + std::to_string(step);
    ASSERT_TRUE(store_.write(step, encode(checkpoint)));
  }
  std::unique_ptr<WeightsFollower> follow(bool gated = false) {
    WeightsFollower::Options options;
    options.directory = store_.directory();
    options.gated = gated;
    if (gated) options.kept = CheckpointStore::open(directory_ / "served").value();
    return std::make_unique<WeightsFollower>(
        std::move(options), [this](const std::string& model, const WeightsOrigin& origin) -> Expected<void> {
          if (origin.step == refused_) return fail(ErrorCode::corrupt, "no such network");
          EXPECT_EQ(model, "weights of step " + std::to_string(origin.step));
          taken_.push_back(origin.step);
          return {};
        });
  }
  using Steps = std::vector<std::uint64_t>;

  test::TempDir directory_;
  CheckpointStore store_ = CheckpointStore::open(directory_ / "training", 4).value();
  Steps taken_;
  std::uint64_t refused_ = 0;
};

TEST_F(Follower, HandsOnTheNewestOnce) {
  const auto follower = follow();
  follower->look();
  EXPECT_EQ(taken_, Steps{});
  learn(3);
  learn(5);
  follower->look();
  follower->look();
  EXPECT_EQ(taken_, Steps{5});
  learn(14);
  follower->look();
  EXPECT_EQ(taken_, (Steps{5, 14}));
  EXPECT_EQ(follower->status().taken, 2U);
  EXPECT_EQ(follower->status().held_back, 0U);
}

TEST_F(Follower, LooksByItself) {
  std::atomic<std::uint64_t> step{0};
  WeightsFollower::Options options;
  options.directory = store_.directory();
  options.period = std::chrono::milliseconds(1);
  WeightsFollower follower(std::move(options), [&](const std::string&, const WeightsOrigin& origin) {
    step = origin.step;
    return Expected<void>();
  });
  follower.start();
  for (std::uint64_t next = 1; next <= 2; ++next) {
    learn(next);
    while (step != next)
      std::this_thread::yield();
  }
}

TEST_F(Follower, ABrokenCheckpointGivesWayToTheOneBefore) {
  const auto follower = follow();
  learn(3);
  test::spill(store_.directory() + "/checkpoint-000000000007.ckpt", "no checkpoint");
  follower->look();
  EXPECT_EQ(taken_, Steps{3});
  learn(9);
  follower->look();
  EXPECT_EQ(taken_, (Steps{3, 9}));
  EXPECT_FALSE(follower->status().trouble);
}

TEST_F(Follower, TellsItsTrouble) {
  const auto follower = follow();
  refused_ = 3;
  learn(3);
  follower->look();
  ASSERT_TRUE(follower->status().trouble);
  EXPECT_EQ(follower->status().trouble->message, "no such network");
  learn(4);
  follower->look();
  EXPECT_EQ(taken_, Steps{4});
  EXPECT_FALSE(follower->status().trouble);
}

TEST_F(Follower, TheGateHoldsBackWhatIsWorseOrNotValidated) {
  const auto follower = follow(true);
  const auto taken_after = [&](std::uint64_t step, std::optional<ValidationResult> validated) {
    learn(step, validated);
    follower->look();
    return taken_.empty() ? 0 : taken_.back();
  };
  EXPECT_EQ(taken_after(9, std::nullopt), 0U);
  EXPECT_EQ(taken_after(10, ValidationResult{0, 0.5, 1}), 10U);
  EXPECT_EQ(taken_after(20, ValidationResult{0, 0.4, 0.5}), 10U) << "accuracy counts";
  EXPECT_EQ(taken_after(25, std::nullopt), 10U);
  EXPECT_EQ(taken_after(30, ValidationResult{0, 0.5, 2}), 30U) << "as good as before";
  EXPECT_EQ(taken_after(40, ValidationResult{0, 0.6, 1}), 40U);
  EXPECT_EQ(follower->status().held_back, 3U);
}

TEST_F(Follower, TheGateGoesByTheLossWhereThereIsNoAccuracy) {
  const auto follower = follow(true);
  learn(10, ValidationResult{0, kNone, 1});
  follower->look();
  learn(20, ValidationResult{0, kNone, 1.5});
  follower->look();
  learn(30, ValidationResult{0, kNone, kNone});
  follower->look();
  EXPECT_EQ(taken_, Steps{10});
  learn(40, ValidationResult{0, kNone, 0.5});
  follower->look();
  EXPECT_EQ(taken_, (Steps{10, 40}));
}

TEST_F(Follower, WhatPassedTheGateIsServedAgainAfterARestart) {
  {
    const auto follower = follow(true);
    learn(10, ValidationResult{0, 0.9, 1});
    follower->look();
  }
  for (std::uint64_t step = 20; step <= 60; step += 10)
    learn(step, ValidationResult{0, 0.5, 1});
  const auto follower = follow(true);
  follower->look();
  EXPECT_EQ(taken_, (Steps{10, 10})) << "though the training job has removed it";
}

// ---- with a network ----

class ServedNetwork : public ::testing::Test {
 protected:
  std::unique_ptr<TrainingRun> train() {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / "checkpoints";
    options.clock = &clock_;
    return test::create_training_run(training_, options).value();
  }
  std::unique_ptr<InferenceRun> serve() {
    JobSpec spec = test::tiny_inference_job(directory_.path());
    spec.seed = training_.seed;
    std::get<InferenceSpec>(spec.kind).source.dataset = training_.training()->dataset;
    InferenceRun::Options options;
    options.clock = &clock_;
    options.takes_weights = true;
    return test::create_inference_run(spec, options).value();
  }
  static std::vector<std::size_t> all_samples(const InferenceRun& run) {
    std::vector<std::size_t> samples(run.dataset_size());
    std::iota(samples.begin(), samples.end(), std::size_t{0});
    return samples;
  }
  static std::string model_of(const TrainingRun& run) {
    return decode_training_checkpoint(run.snapshot().value().bytes).value().learner.model;
  }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec training_ = test::tiny_training_job(directory_.path());
};

TEST_F(ServedNetwork, BeginsWithTheWeightsThatTrainingBeginsWith) {
  const auto run = serve();
  const auto first = run->run(all_samples(*run))->predictions;
  EXPECT_FALSE(run->origin());
  ASSERT_TRUE(run->load_weights(model_of(*train()), {0, 0}));
  EXPECT_EQ(run->run(all_samples(*run))->predictions, first);
  EXPECT_EQ(run->origin()->step, 0U);
}

TEST_F(ServedNetwork, LearnsWithTheTrainingJob) {
  std::get<TrainingSpec>(training_.kind).epochs = 30;
  const auto training = train();
  const auto run = serve();
  const auto samples = all_samples(*run);
  const auto before = *run->run(samples)->correct;
  while (!training->finished())
    ASSERT_TRUE(training->step());
  ASSERT_TRUE(run->load_weights(model_of(*training), {training->steps_done(), 30}));
  const auto after = *run->run(samples)->correct;
  EXPECT_LT(before, samples.size() * 6 / 10);
  EXPECT_GT(after, samples.size() * 9 / 10);
  EXPECT_EQ(run->origin()->step, training->steps_done());
}

TEST_F(ServedNetwork, WeightsThatAreNoneChangeNothing) {
  const auto run = serve();
  const auto before = run->run(all_samples(*run))->predictions;
  EXPECT_FALSE(run->load_weights("no network", {1, 0}));
  EXPECT_EQ(run->run(all_samples(*run))->predictions, before);
  EXPECT_FALSE(run->origin());
}

// Weights keep coming from another thread; each batch is answered as one of the two networks answers it.
TEST_F(ServedNetwork, NoBatchIsAnsweredByTwoNetworks) {
  const auto training = train();
  const std::string untrained = model_of(*training);
  while (!training->finished())
    ASSERT_TRUE(training->step());
  const std::string trained = model_of(*training);
  const auto run = serve();
  const auto samples = all_samples(*run);
  std::vector<std::vector<std::int64_t>> answers;
  for (const auto& model : {untrained, trained}) {
    ASSERT_TRUE(run->load_weights(model, {answers.size(), 0}));
    answers.push_back(run->run(samples)->predictions);
  }
  ASSERT_NE(answers.front(), answers.back());
  std::atomic<bool> ending{false};
  std::thread loader([&] {
    for (std::uint64_t i = 0; !ending; ++i)
      EXPECT_TRUE(run->load_weights(i % 2 == 0 ? untrained : trained, {i % 2, 0}));
  });
  for (int i = 0; i < 300; ++i) {
    const auto batch = run->run(samples);
    ASSERT_TRUE(batch);
    ASSERT_EQ(batch->predictions, answers.at(run->origin()->step));
  }
  ending = true;
  loader.join();
}

}  // namespace
}  // namespace fulcrum::workloads

// Training on the formats of data sets, from files to weights.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/image_files.h"
#include "tests/support/npy_bytes.h"
#include "tests/unit/workloads/tiny_job.h"

namespace fulcrum::workloads {
namespace {

class TrainingOn : public ::testing::Test {
 protected:
  std::unique_ptr<TrainingRun> open(const std::string& checkpoints) {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / checkpoints;
    options.clock = &clock_;
    auto run = test::create_training_run(spec_, options);
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }
  static void steps(TrainingRun& run, int n) {
    for (int i = 0; i < n; ++i)
      ASSERT_TRUE(run.step());
  }
  static void finish(TrainingRun& run) {
    while (!run.finished())
      ASSERT_TRUE(run.step());
  }
  void train_on(const DatasetSpec& dataset, const LoaderSpec& loader) {
    TrainingSpec training;
    training.dataset = dataset;
    training.batch_size = 4;
    training.epochs = 3;
    training.loader = loader;
    spec_.kind = training;
  }
  // 24 pictures in 3 classes that only their brightness tells apart, larger than samples are.
  ImageFolder write_pictures() {
    ImageFolder folder;
    folder.root = directory_ / "pictures";
    folder.size = {28, 28};
    folder.resize = 30;
    folder.channels = 1;
    folder.scale = {{0.5}, {0.5}};
    folder.flip = true;
    folder.random_crop = true;
    for (int i = 0; i < 24; ++i) {
      const std::string classed = folder.root + "/" + std::to_string(i % 3);
      std::filesystem::create_directories(classed);
      auto image = test::plain_image(40, 50, {static_cast<std::uint8_t>(60 * (i % 3))});
      for (std::size_t pixel = 0; pixel < image.pixels.size(); ++pixel)
        image.pixels[pixel] =
            static_cast<std::uint8_t>(image.pixels[pixel] + pixel % 50 + static_cast<std::size_t>(i));
      const std::string path = classed + "/" + std::to_string(i);
      test::spill(i % 2 == 0 ? path + ".jpg" : path + ".png",
                  i % 2 == 0 ? test::jpeg_bytes(image) : test::png_bytes(image));
    }
    return folder;
  }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec spec_ = test::tiny_training_job(directory_.path());
};

TEST_F(TrainingOn, AugmentedPicturesInShardsIsBitIdenticalWhenResumed) {
  train_on({write_pictures()}, {3, 2, 6});
  const auto undisturbed = open("undisturbed");
  finish(*undisturbed);
  for (const int at : {1, 6, 11}) {
    const std::string name = "run-" + std::to_string(at);
    {
      const auto run = open(name);
      steps(*run, at);
      ASSERT_TRUE(run->save_checkpoint());
      ASSERT_TRUE(run->flush_checkpoints());
    }
    const auto run = open(name);
    EXPECT_TRUE(run->resumed());
    finish(*run);
    EXPECT_EQ(run->weights_digest(), undisturbed->weights_digest()) << at;
  }
}

TEST_F(TrainingOn, AugmentedPicturesIsNotTrainingOnPlainOnes) {
  auto folder = write_pictures();
  train_on({folder}, {0, 1, 0});
  const auto augmented = open("augmented");
  finish(*augmented);
  folder.flip = false;
  folder.random_crop = false;
  train_on({folder}, {0, 1, 0});
  const auto plain = open("plain");
  finish(*plain);
  EXPECT_NE(augmented->weights_digest(), plain->weights_digest());
}

TEST_F(TrainingOn, OtherShardsIsAnotherJob) {
  train_on({write_pictures()}, {0, 1, 6});
  {
    const auto run = open("run");
    steps(*run, 2);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  train_on({write_pictures()}, {0, 1, 12});
  test::RunOptions options;
  options.checkpoint_directory = directory_ / "run";
  options.clock = &clock_;
  const auto refused = test::create_training_run(spec_, options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("/shard"), std::string::npos) << refused.error().message;
}

TEST_F(TrainingOn, SyntheticSamplesLearns) {
  train_on({SyntheticData{200, {1, 28, 28}, 3, 1}}, {2, 2, 0});
  std::get<TrainingSpec>(spec_.kind).epochs = 8;
  const auto run = open("run");
  const double first = run->step().value().loss;
  finish(*run);
  EXPECT_LT(run->progress().train_loss, first / 2);
}

TEST_F(TrainingOn, ArraysGivesTheWeightsOfTheSameSamplesElsewhere) {
  const SyntheticData synthetic{20, {1, 28, 28}, 3, 1};
  train_on({synthetic}, {0, 1, 0});
  const auto made_up = open("synthetic");
  finish(*made_up);

  std::vector<float> inputs;
  std::vector<std::int64_t> targets;
  const auto dataset = load_dataset({synthetic}, 3).value();
  for (std::size_t i = 0; i < 20; ++i) {
    const auto sample = dataset->read({i}).value();
    inputs.insert(inputs.end(), sample.float_inputs(), sample.float_inputs() + 784);
    targets.push_back(*sample.int_targets());
  }
  const NpyFiles files{directory_ / "x.npy", directory_ / "y.npy"};
  test::spill(files.inputs, test::npy<float>("<f4", "(20, 1, 28, 28)", inputs));
  test::spill(files.targets, test::npy<std::int64_t>("<i8", "(20,)", targets));
  train_on({files}, {2, 2, 0});
  const auto arrays = open("arrays");
  finish(*arrays);
  EXPECT_EQ(arrays->weights_digest(), made_up->weights_digest());
}

TEST_F(TrainingOn, ADamagedPictureFailsTheStepThatNeedsItByName) {
  const auto folder = write_pictures();
  test::spill(folder.root + "/1/1.png", "no picture");
  train_on({folder}, {2, 2, 0});
  const auto run = open("run");
  std::string text;
  for (int i = 0; i < 6 && text.empty(); ++i) {
    if (const auto step = run->step(); !step) text = step.error().to_string();
  }
  EXPECT_NE(text.find(folder.root + "/1/1.png' is neither JPEG nor PNG"), std::string::npos) << text;
}

TEST_F(TrainingOn, TokensIsRefusedByAModelForImages) {
  TokenFile tokens;
  tokens.file = directory_ / "tokens";
  tokens.sequence_length = 4;
  test::spill(tokens.file, std::string(100, '\1'));
  train_on({tokens}, {0, 1, 0});
  const auto data = load_training_data(spec_);
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().message,
            "the samples have shape [4] of int64, but model 'lenet5' takes [1, 28, 28] of float32");
}

}  // namespace
}  // namespace fulcrum::workloads

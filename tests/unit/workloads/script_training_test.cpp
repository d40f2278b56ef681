// Jobs whose model is a TorchScript file: what they may be handed, and that they are trained as faithfully as
// built-in ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>

#include "tests/support/script_models.h"
#include "tests/unit/workloads/tiny_job.h"
#include "workloads/job_files.h"
#include "workloads/job_trial.h"

namespace fulcrum::workloads {
namespace {

using testing::HasSubstr;

class ScriptJobs : public ::testing::Test {
 protected:
  void SetUp() override { take(test::perceptron()); }
  void take(const torch::jit::Module& module) {
    for (JobSpec* spec : {&training_, &inference_}) {
      spec->model = {};
      spec->model.torchscript = test::save_script(directory_ / "model.pt", module);
    }
  }
  std::unique_ptr<TrainingRun> open(const std::string& name) {
    test::RunOptions options;
    options.checkpoint_directory = directory_ / name;
    options.clock = &clock_;
    auto run = test::create_training_run(training_, options);
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }
  static void steps(TrainingRun& run, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_TRUE(run.step());
  }
  static std::string only_fault(const JobSpec& spec) {
    const auto faults = try_job(spec);
    EXPECT_EQ(faults.size(), 1U);
    if (faults.empty()) return "";
    EXPECT_EQ(faults.front().field, "/model/torchscript");
    return faults.front().message;
  }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec training_ = test::tiny_training_job(directory_.path());
  JobSpec inference_ = test::tiny_inference_job(directory_.path());
};

TEST_F(ScriptJobs, ResumedFromAnyStepAreBitIdentical) {
  const auto undisturbed = open("undisturbed");
  steps(*undisturbed, test::kTinySteps);
  for (std::uint64_t at = 0; at <= test::kTinySteps; at += 3) {
    SCOPED_TRACE(at);
    const std::string name = "run-" + std::to_string(at);
    {
      const auto run = open(name);
      steps(*run, at);
      ASSERT_TRUE(run->save_checkpoint());
      ASSERT_TRUE(run->flush_checkpoints());
    }
    const auto run = open(name);
    EXPECT_TRUE(run->resumed());
    steps(*run, test::kTinySteps - at);
    EXPECT_TRUE(run->finished());
    EXPECT_EQ(run->weights_digest(), undisturbed->weights_digest());
    EXPECT_EQ(run->progress().to_json(), undisturbed->progress().to_json());
  }
}

TEST_F(ScriptJobs, AreNotResumedWithAnotherFile) {
  {
    const auto run = open("run");
    steps(*run, 2);
    ASSERT_TRUE(run->save_checkpoint());
    ASSERT_TRUE(run->flush_checkpoints());
  }
  take(test::perceptron(
      "def forward(self, x):\n    return torch.matmul(torch.matmul(x.flatten(1), self.w1), self.w2)"));
  test::RunOptions options;
  options.checkpoint_directory = directory_ / "run";
  options.clock = &clock_;
  const auto run = test::create_training_run(training_, options);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("/model_checksum"));
}

TEST_F(ScriptJobs, WriteAModuleThatServesWithTheTrainedWeights) {
  const auto run = open("run");
  steps(*run, test::kTinySteps);
  inference_.model.torchscript = directory_ / "trained.pt";
  ASSERT_TRUE(run->write_output(inference_.model.torchscript));
  EXPECT_TRUE(try_job(inference_).empty());
  const auto serving = test::create_inference_run(inference_, {1, &clock_}).value();
  const auto answer = serving->run({0, 1, 2}).value();
  EXPECT_EQ(answer.predictions.size(), 3U);
  EXPECT_TRUE(answer.correct);
}

TEST_F(ScriptJobs, ThatAreSoundPassTheTrial) {
  EXPECT_TRUE(check_job_files(training_).empty());
  EXPECT_TRUE(try_job(training_).empty());
  EXPECT_TRUE(try_job(inference_).empty());
}

TEST_F(ScriptJobs, WhoseFileIsAbsentAreRefused) {
  training_.model.torchscript = directory_ / "absent.pt";
  const auto faults = check_job_files(training_);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().code, ErrorCode::not_found);
  EXPECT_EQ(faults.front().field, "/model/torchscript");
}

TEST_F(ScriptJobs, OfAnotherInputShapeAreRefused) {
  take(test::perceptron(test::kPerceptronForward, {3, 100}));
  EXPECT_THAT(only_fault(training_), HasSubstr("mat1 and mat2 shapes cannot be multiplied"));
  EXPECT_THAT(only_fault(training_), HasSubstr("float32 [3, 1, 28, 28]"));
  EXPECT_THAT(only_fault(inference_), HasSubstr("mat1 and mat2 shapes cannot be multiplied"));
}

TEST_F(ScriptJobs, OfAnotherDtypeAreRefused) {
  auto module = test::perceptron();
  module.to(at::kDouble);
  take(module);
  EXPECT_THAT(only_fault(training_), HasSubstr("expected scalar type Float but found Double"));
}

// Only the last sample has a label that the model has no class for.
TEST_F(ScriptJobs, WithALabelThatIsNoClassAreRefused) {
  auto& training = std::get<TrainingSpec>(training_.kind);
  training.dataset = test::write_tiny_dataset(directory_.path(), "labels", 20, 3, 1);
  test::spill(std::get<IdxFiles>(training.dataset.source).labels,
              test::idx_labels(20, std::string(19, '\2') + '\3'));
  const auto faults = try_job(training_);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().field, "/dataset/labels");
  EXPECT_THAT(faults.front().message, HasSubstr("label 3 of sample 19"));
}

TEST_F(ScriptJobs, WithALossOfTheirOwnAreTrainedAndHaveNoAccuracy) {
  auto module = test::perceptron(R"(
def forward(self, x, target):
    y = torch.matmul(torch.matmul(x.flatten(1), self.w1), self.w2)
    return torch.mean((y - torch.one_hot(target, 3)) ** 2)
)");
  take(module);
  std::get<TrainingSpec>(training_.kind).optimization.loss = "in_model";
  EXPECT_TRUE(try_job(training_).empty());
  const auto run = open("run");
  const double first = run->step().value().loss;
  while (!run->finished())
    ASSERT_TRUE(run->step());
  EXPECT_LT(run->progress().train_loss, first);
  EXPECT_EQ(run->progress().to_json().at("validations").back().at("accuracy").dump(), "null");
}

TEST_F(ScriptJobs, WhoseLossIsNoNumberAreRefused) {
  take(test::perceptron("def forward(self, x, target):\n    return torch.matmul(x.flatten(1), self.w1)"));
  std::get<TrainingSpec>(training_.kind).optimization.loss = "in_model";
  EXPECT_THAT(only_fault(training_), HasSubstr("not one floating-point number, the loss"));
}

TEST_F(ScriptJobs, WhoseLossHasNothingToDoWithTheirParametersAreRefused) {
  take(test::perceptron("def forward(self, x, target):\n    return x.sum()"));
  std::get<TrainingSpec>(training_.kind).optimization.loss = "in_model";
  EXPECT_THAT(only_fault(training_), HasSubstr("does not depend on any parameter"));
}

TEST_F(ScriptJobs, ThatAreNotOfTheShapeTheySayAreRefused) {
  inference_.model.input_shape = {3, 28, 28};
  const auto faults = check_job_files(inference_);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults.front().message, HasSubstr("takes [3, 28, 28]"));
}

TEST_F(ScriptJobs, TracedWithOneBatchSizeAreRefused) {
  take(test::perceptron("def forward(self, x):\n    return torch.matmul(x.reshape([3, 784]), self.w1)"));
  EXPECT_THAT(only_fault(training_), HasSubstr("shape '[3, 784]' is invalid"));
}

// 44 samples in minibatches of 8 and 4; in parts of 3 and 2, and 3 and 1.
TEST_F(ScriptJobs, AreTriedWithTheFewestSamplesThatWillGoTogether) {
  take(
      test::perceptron("def forward(self, x):\n    assert x.size(0) != 1 or not self.training, 'one alone'\n"
                       "    return torch.matmul(torch.matmul(x.flatten(1), self.w1), self.w2)"));
  EXPECT_TRUE(try_job(training_).empty());
  std::get<TrainingSpec>(training_.kind).optimization.micro_batch_size = 3;
  EXPECT_THAT(only_fault(training_), HasSubstr("one alone"));
}

TEST_F(ScriptJobs, WhoseAnswerIsNoTensorAreNotTrainedButServe) {
  take(test::perceptron(
      "def forward(self, x):\n    y = torch.matmul(x.flatten(1), self.w1)\n    return (y, y)"));
  EXPECT_THAT(only_fault(training_), HasSubstr("forward(input) returns Tuple"));
  EXPECT_TRUE(try_job(inference_).empty());
  const auto serving = test::create_inference_run(inference_, {1, &clock_}).value();
  const auto answer = serving->run({0, 1}).value();
  EXPECT_TRUE(answer.predictions.empty());
  EXPECT_FALSE(answer.correct);
}

TEST_F(ScriptJobs, ThatRaiseSayWhatTheyRaised) {
  take(
      test::perceptron("def forward(self, x):\n    assert x.size(0) > 7, 'a batch of eight at least'\n"
                       "    return torch.matmul(x.flatten(1), self.w1)"));
  EXPECT_THAT(only_fault(training_), HasSubstr("a batch of eight at least"));
}

}  // namespace
}  // namespace fulcrum::workloads

// A step in which memory runs out or the device fails: models that say so as LibTorch does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/script_models.h"
#include "tests/unit/workloads/tiny_job.h"

namespace fulcrum::workloads {
namespace {

using testing::HasSubstr;

constexpr const char* kNoMemory = "assert False, 'CUDA out of memory. Tried to allocate 2.00 GiB'";
constexpr const char* kTooLarge = "self.steps.add_(torch.zeros([1 << 50]).sum())";
constexpr const char* kLost = "assert False, 'CUDA error: an illegal memory access was encountered'";

class MemoryFault : public ::testing::Test {
 protected:
  std::unique_ptr<TrainingRun> open(const std::string& fault, int first, int last) {
    JobSpec spec = test::tiny_training_job(directory_.path());
    spec.model = {};
    spec.model.torchscript =
        test::save_script(directory_ / "model.pt", test::perceptron(test::forward_with(fault, first, last)));
    test::RunOptions options;
    options.checkpoint_directory = directory_ / ("run-" + std::to_string(++runs_));
    options.clock = &clock_;
    auto run = test::create_training_run(spec, options);
    EXPECT_TRUE(run) << run.error().to_string();
    return std::move(*run);
  }
  Error error_of_first_step(const std::string& fault) {
    const auto step = open(fault, 1, 1000)->step();
    EXPECT_FALSE(step);
    return step ? Error{} : step.error();
  }

  test::TempDir directory_;
  ManualClock clock_;
  int runs_ = 0;
};

TEST_F(MemoryFault, AStepIsDoneAgainOnceAndComesOutTheSame) {
  const auto undisturbed = open("pass", 3, 3);
  const auto disturbed = open(kNoMemory, 3, 3);
  for (int i = 1; i <= 6; ++i) {
    ASSERT_TRUE(undisturbed->step());
    const auto step = disturbed->step();
    ASSERT_TRUE(step) << step.error().to_string();
    EXPECT_EQ(step->retried, i == 3);
  }
  EXPECT_EQ(disturbed->weights_digest(), undisturbed->weights_digest()) << "dropout included";
}

TEST_F(MemoryFault, TwiceInAStepIsAnError) {
  const auto error = error_of_first_step(kNoMemory);
  EXPECT_EQ(error.code, ErrorCode::out_of_memory);
  EXPECT_THAT(error.message, HasSubstr("CUDA out of memory. Tried to allocate 2.00 GiB"));
  EXPECT_EQ(error_of_first_step(kTooLarge).code, ErrorCode::out_of_memory) << "in LibTorch's own words";
}

TEST_F(MemoryFault, AFaultOfTheDeviceIsNotTriedAgain) {
  const auto run = open(kLost, 1, 1);
  const auto step = run->step();
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, ErrorCode::device_lost);
}

}  // namespace
}  // namespace fulcrum::workloads

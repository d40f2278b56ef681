#include "workloads/inference_run.h"

#include <gtest/gtest.h>

#include "tests/unit/workloads/tiny_job.h"
#include "workloads/builtin_models.h"

namespace fulcrum::workloads {
namespace {

class Inference : public ::testing::Test {
 protected:
  std::unique_ptr<InferenceRun> create() { return test::create_inference_run(spec_, {1, &clock_}).value(); }

  test::TempDir directory_;
  ManualClock clock_;
  JobSpec spec_ = test::tiny_inference_job(directory_.path());
};

TEST_F(Inference, AnswersEverySampleOfABatch) {
  const auto run = create();
  EXPECT_EQ(run->dataset_size(), 10U);
  const auto batch = run->run({0, 9, 3});
  ASSERT_TRUE(batch) << batch.error().to_string();
  ASSERT_EQ(batch->predictions.size(), 3U);
  for (const auto prediction : batch->predictions) {
    EXPECT_GE(prediction, 0);
    EXPECT_LT(prediction, 3);
  }
}

TEST_F(Inference, AnswersDoNotDependOnTheBatch) {
  const auto run = create();
  std::vector<std::int64_t> one_by_one;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < run->dataset_size(); ++i) {
    one_by_one.push_back(run->run({i})->predictions.front());
    all.push_back(i);
  }
  EXPECT_EQ(run->run(all)->predictions, one_by_one);
}

TEST_F(Inference, CountsCorrectAnswers) {
  const auto run = create();
  std::size_t correct = 0;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < run->dataset_size(); ++i) {
    correct += run->run({i})->correct.value();
    all.push_back(i);
  }
  EXPECT_EQ(run->run(all)->correct, correct);
}

TEST_F(Inference, RefusesWhatItCannotRun) {
  const auto run = create();
  EXPECT_FALSE(run->run({}));
  EXPECT_FALSE(run->run({10}));
}

TEST_F(Inference, RefusesAMissingDataset) {
  auto inference = *spec_.inference();
  std::get<IdxFiles>(inference.source.dataset.source).images = directory_ / "absent";
  spec_.kind = inference;
  const auto run = test::create_inference_run(spec_, {1, &clock_});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::not_found);
}

// The names and shapes that job specs accept are those that can be made.
TEST_F(Inference, EveryBuiltinModelIsAcceptedBySpecsAndCanBeMade) {
  for (const auto& model : builtin_models()) {
    Json json = spec_.to_json();
    json["model"]["builtin"] = model.name;
    json["input"] = {{"shape", {1, 28, 28}}, {"dtype", "float32"}};
    const auto spec = JobSpec::from_json(json);
    ASSERT_TRUE(spec) << spec.error().front().to_string();
    EXPECT_TRUE(test::create_inference_run(*spec, {1, &clock_}));
  }
}

}  // namespace
}  // namespace fulcrum::workloads

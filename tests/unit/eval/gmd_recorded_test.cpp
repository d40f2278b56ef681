// GMD over tables recorded on a Jetson AGX Orin, against what its authors recorded (searches.md section 6).
// The tables are not part of the project: without them these tests are skipped.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "benchmarks/recorded_tables.h"
#include "benchmarks/search_sweep.h"
#include "tests/support/shared_data.h"

namespace fulcrum::benchmarks {
namespace {

struct Recorded {
  const char* workload;
  int solved, solvable;
  double median_loss_percent, mean_loss_percent, mean_modes;
};

class RecordedTables : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tables_)) {
      GTEST_SKIP() << "no recorded tables at '" << tables_ << "'; FULCRUM_SHARED_DATA names another place";
    }
  }

  void read(const std::string& workload, WorkloadTask task) {
    const char* suffix = task == WorkloadTask::training ? "-train.csv" : "-infer.csv";
    const auto done = read_table(tables_ + "/" + workload + suffix, task, grid_, profiles_);
    ASSERT_TRUE(done) << done.error().to_string();
  }

  const std::string tables_ = test::shared_data_dir() + "/orin-agx";
  const scheduler::ModeGrid grid_ = orin_evaluation_grid().value();
  const std::unique_ptr<scheduler::Strategy> gmd_ = scheduler::make_strategy("gmd").value();
  scheduler::ProfileSet profiles_;
};

class RecordedTraining : public RecordedTables, public ::testing::WithParamInterface<Recorded> {};

TEST_P(RecordedTraining, GmdDoesAsItsAuthorsRecorded) {
  const auto& authors = GetParam();
  read(authors.workload, WorkloadTask::training);
  const auto result = sweep(*gmd_, train_problems(grid_), profiles_);
  EXPECT_EQ(result.solved, authors.solved);
  EXPECT_EQ(result.solvable, authors.solvable);
  EXPECT_NEAR(result.median_loss_percent, authors.median_loss_percent, 0.05);
  EXPECT_NEAR(result.mean_loss_percent, authors.mean_loss_percent, 0.05);
  // They count no modes for a problem that was not solved.
  EXPECT_NEAR(result.mean_modes, authors.mean_modes, 0.2);
  EXPECT_LE(result.most_modes, 11);
  EXPECT_EQ(result.over_budget, 0);
}

INSTANTIATE_TEST_SUITE_P(Workloads, RecordedTraining,
                         ::testing::Values(Recorded{"resnet", 36, 36, 8.1, 12.1, 9.5},
                                           Recorded{"mobilenet", 36, 36, 3.3, 11.8, 9.1},
                                           Recorded{"yolo", 37, 38, 3.3, 5.6, 8.7}),
                         [](const auto& each) { return std::string(each.param.workload); });

TEST_F(RecordedTables, GmdNeverMissesABudgetOfInference) {
  read("mobilenet", WorkloadTask::inference);
  const auto result = sweep(*gmd_, infer_problems(grid_, 13), profiles_);
  EXPECT_EQ(result.over_budget, 0);
  EXPECT_LE(result.most_modes, 11);
  EXPECT_GE(result.solved, result.solvable * 9 / 10);
}

TEST_F(RecordedTables, GmdNeverMissesABudgetOfTrainingBesideInference) {
  read("mobilenet", WorkloadTask::training);
  read("mobilenet", WorkloadTask::inference);
  const auto result = sweep(*gmd_, concurrent_problems(grid_, 23), profiles_);
  EXPECT_EQ(result.over_budget, 0);
  EXPECT_LE(result.most_modes, 12) << "11, and the highest";
  EXPECT_GE(result.solved, result.solvable * 95 / 100);
}

TEST_F(RecordedTables, ExhaustiveSearchLosesNothing) {
  read("resnet", WorkloadTask::training);
  const auto exhaustive = scheduler::make_strategy("exhaustive").value();
  const auto result = sweep(*exhaustive, {train_problems(grid_).at(20)}, profiles_);
  EXPECT_EQ(result.solved, 1);
  EXPECT_EQ(result.mean_loss_percent, 0);
  EXPECT_EQ(result.most_modes, 441);
}

}  // namespace
}  // namespace fulcrum::benchmarks

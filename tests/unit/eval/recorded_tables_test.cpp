// GMD over tables recorded on a Jetson AGX Orin, against what its authors recorded (searches.md section 6).
// The tables are not part of the project: without them these tests are skipped.

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "eval/evaluation.h"
#include "eval/summary.h"
#include "eval/sweep.h"
#include "eval/table_source.h"
#include "tests/support/shared_data.h"

namespace fulcrum::eval {
namespace {

using scheduler::ProblemKind;

struct Recorded {
  const char* workload;
  std::size_t solved, solvable;
  double median_loss_pct, mean_loss_pct, mean_modes;
};

std::ostream& operator<<(std::ostream& out, const Recorded& recorded) {
  return out << recorded.workload;
}

class RecordedTables : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tables_)) {
      GTEST_SKIP() << "no recorded tables at '" << tables_ << "'; FULCRUM_SHARED_DATA names another place";
    }
  }

  Summary score(const std::string& strategy, ProblemKind kind, const std::string& train,
                const std::string& infer, double sample) const {
    const auto folder = TableFolder::open(tables_).value();
    std::optional<Table> training, inference;
    if (!train.empty()) training = folder->table(train, WorkloadTask::training).value();
    if (!infer.empty()) inference = folder->table(infer, WorkloadTask::inference).value();
    Evaluation evaluation;
    evaluation.strategies = {strategy};
    evaluation.sweeps.push_back({make_bench(kind, GridChoice::search, training ? &*training : nullptr,
                                            inference ? &*inference : nullptr)
                                     .value(),
                                 {},
                                 {}});
    auto& sweep = evaluation.sweeps.front();
    const auto all = problems_of(sweep.bench, default_budgets(kind));
    for (const auto number : sampled(all.size(), sample, 1))
      sweep.problems.push_back(all[number]);
    return summarize(evaluate(evaluation).value()).front();
  }

  const std::string tables_ = test::shared_data_dir() + "/orin-agx";
};

class RecordedTraining : public RecordedTables, public ::testing::WithParamInterface<Recorded> {};

TEST_P(RecordedTraining, GmdDoesAsItsAuthorsRecorded) {
  const auto& authors = GetParam();
  const auto result = score("gmd", ProblemKind::train, authors.workload, "", 1);
  EXPECT_EQ(result.solved, authors.solved);
  EXPECT_EQ(result.solvable, authors.solvable);
  EXPECT_NEAR(result.median_loss_pct, authors.median_loss_pct, 0.05);
  EXPECT_NEAR(result.mean_loss_pct, authors.mean_loss_pct, 0.05);
  // They count no modes for a problem that was not solved.
  EXPECT_NEAR(result.mean_modes, authors.mean_modes, 0.2);
  EXPECT_EQ(result.violations, 0U);
}

INSTANTIATE_TEST_SUITE_P(Workloads, RecordedTraining,
                         ::testing::Values(Recorded{"resnet", 36, 36, 8.1, 12.1, 9.5},
                                           Recorded{"mobilenet", 36, 36, 3.3, 11.8, 9.1},
                                           Recorded{"yolo", 37, 38, 3.3, 5.6, 8.7}),
                         [](const auto& each) { return std::string(each.param.workload); });

TEST_P(RecordedTraining, RgsDoesBetterWithFewerProbes) {
  const auto& gmd = GetParam();
  const auto result = score("rgs", ProblemKind::train, gmd.workload, "", 1);
  EXPECT_EQ(result.solved, result.solvable);
  EXPECT_LT(result.mean_loss_pct, gmd.mean_loss_pct / 2);
  EXPECT_LT(result.mean_modes, gmd.mean_modes - 1);
  EXPECT_EQ(result.violations, 0U);
}

TEST_F(RecordedTables, RgsFindsWhatIsToBeFoundForInference) {
  const auto result = score("rgs", ProblemKind::infer, "", "mobilenet", .006);
  EXPECT_GE(result.solved, result.solvable * 99 / 100);
  EXPECT_LT(result.mean_loss_pct, 5);
  EXPECT_EQ(result.violations, 0U);
}

TEST_F(RecordedTables, RgsFindsWhatIsToBeFoundForTrainingBesideInference) {
  const auto result = score("rgs", ProblemKind::concurrent, "mobilenet", "mobilenet", .004);
  EXPECT_GE(result.solved, result.solvable * 99 / 100);
  EXPECT_LT(result.mean_loss_pct, 6);
  EXPECT_EQ(result.violations, 0U);
}

TEST_F(RecordedTables, GmdNeverMissesABudgetOfInference) {
  const auto result = score("gmd", ProblemKind::infer, "", "mobilenet", .08);
  EXPECT_EQ(result.violations, 0U);
  EXPECT_GE(result.solved, result.solvable * 9 / 10);
}

TEST_F(RecordedTables, GmdNeverMissesABudgetOfTrainingBesideInference) {
  const auto result = score("gmd", ProblemKind::concurrent, "mobilenet", "mobilenet", .04);
  EXPECT_EQ(result.violations, 0U);
  EXPECT_GE(result.solved, result.solvable * 95 / 100);
}

TEST_F(RecordedTables, ExhaustiveSearchLosesNothing) {
  const auto result = score("exhaustive", ProblemKind::train, "resnet", "", 1);
  EXPECT_EQ(result.solved, result.solvable);
  EXPECT_EQ(result.mean_loss_pct, 0);
  EXPECT_EQ(result.most_profiles, 441);
}

}  // namespace
}  // namespace fulcrum::eval

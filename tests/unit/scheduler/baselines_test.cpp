#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

using ::testing::ElementsAre;

double level_of(const PowerMode& m) {
  return static_cast<double>(m.cpu_cores + m.cpu_khz + m.gpu_hz + m.emc_hz);
}

// Every level up saves 10 ms, more in larger batches, and costs 2 W.
MadeUpBoard linear() {
  return {[](WorkloadTask, const PowerMode& m, int batch) {
    return MadeUpBoard::Step{(500 - 10 * level_of(m)) * (1 + batch / 64.0), 1 + 2 * level_of(m)};
  }};
}

Problem problem_of(ProblemKind kind, double power_w) {
  Problem problem;
  problem.kind = kind;
  problem.grid = grid_of(levels_up_to(3), levels_up_to(7), levels_up_to(7), levels_up_to(3));
  problem.power_budget_w = power_w;
  problem.latency_budget_ms = 2500;
  problem.arrival_rate_hz = 10;
  problem.inference_batch_sizes = {1, 4, 16};
  return problem;
}

TEST(RandomSearchOfN, MeasuresNDistinctModes) {
  const auto run = search("rnd-50", problem_of(ProblemKind::train, 20), linear());
  const auto modes = modes_of(run);
  EXPECT_EQ(std::set<PowerMode>(modes.begin(), modes.end()).size(), 50U);
}

TEST(RandomSearchOfN, MeasuresTheSameWhateverTheBudgets) {
  auto problem = problem_of(ProblemKind::infer, 20);
  const auto run = search("rnd-30", problem, linear());
  problem.power_budget_w = 40;
  problem.latency_budget_ms = 500;
  EXPECT_EQ(search("rnd-30", problem, linear(), run.profiles).probes.size(), 0U);
}

TEST(RandomSearchOfN, MeasuresOtherModesForAnotherSeed) {
  const auto problem = problem_of(ProblemKind::train, 20);
  EXPECT_NE(modes_of(search("rnd-5", problem, linear(), {}, tools_of(1))),
            modes_of(search("rnd-5", problem, linear(), {}, tools_of(2))));
}

TEST(RandomSearchOfN, MeasuresAWholeGridThatIsSmaller) {
  auto problem = problem_of(ProblemKind::train, 20);
  problem.grid = grid_of({1}, {1, 2}, {1, 2, 3}, {1});
  EXPECT_EQ(search("rnd-50", problem, linear()).probes.size(), 6U);
}

TEST(BinarySearchOfOneDimensionAtATime, TakesSevenModesOfTheEvaluationGrid) {
  const auto run = search("bs", problem_of(ProblemKind::train, 27), linear());
  // 25 W in the middle, and 2 W a level: up and down around 27 W.
  EXPECT_THAT(modes_of(run), ElementsAre(PowerMode{2, 4, 4, 2}, PowerMode{2, 6, 4, 2}, PowerMode{2, 6, 2, 2},
                                         PowerMode{3, 6, 2, 2}, PowerMode{3, 6, 2, 3}, PowerMode{3, 5, 2, 3},
                                         PowerMode{3, 5, 3, 3}));
  ASSERT_NE(run.choice(), nullptr);
  EXPECT_EQ(run.choice()->power_w, 27);
}

TEST(BinarySearchOfOneDimensionAtATime, ServesWithTheBatchOfTheHighestMode) {
  const auto run = search("bs", problem_of(ProblemKind::concurrent, 27), linear());
  ASSERT_NE(run.choice(), nullptr);
  EXPECT_EQ(run.choice()->batch_size, 16);
  EXPECT_EQ(run.probes.size(), 1U + 2 * 7) << "the batch in the highest mode; seven modes of both";
}

TEST(MaxnSearch, MeasuresTheHighestModeAlone) {
  const auto run = search("maxn", problem_of(ProblemKind::train, 100), linear());
  EXPECT_THAT(modes_of(run), ElementsAre(PowerMode{3, 7, 7, 3}));
  ASSERT_NE(run.choice(), nullptr);
}

TEST(MaxnSearch, HasNoAnswerForLessPowerThanThat) {
  const auto run = search("maxn", problem_of(ProblemKind::train, 20), linear());
  ASSERT_NE(run.infeasible(), nullptr);
  EXPECT_FALSE(run.infeasible()->proved);
}

TEST(MaxnSearch, TakesTheSmallestBatchForInferenceAndTheLargestBesideTraining) {
  EXPECT_EQ(search("maxn", problem_of(ProblemKind::infer, 100), linear()).choice()->batch_size, 4);
  EXPECT_EQ(search("maxn", problem_of(ProblemKind::concurrent, 100), linear()).choice()->batch_size, 16);
}

TEST(PresetsSearch, MeasuresEachPresetOnTheGridsNextLevelBelow) {
  constexpr auto kUncapped = std::numeric_limits<std::int64_t>::max();
  auto problem = problem_of(ProblemKind::train, 20);
  problem.grid = grid_of({2, 4}, {2, 4}, {2, 4}, {2, 4});
  const auto tools = tools_of(1, {{4, kUncapped, kUncapped, kUncapped}, {3, 3, 4, 1}});
  EXPECT_THAT(modes_of(search("preset", problem, linear(), {}, tools)),
              ElementsAre(PowerMode{4, 4, 4, 4}, PowerMode{2, 2, 4, 2}));
}

TEST(PresetsSearch, IsNotMadeWithoutPresets) {
  const auto made = make_strategy("preset");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
}

TEST(Strategies, HaveANumberInTheirNameWithOrWithoutADash) {
  EXPECT_EQ(make_strategy("rnd50").value()->name(), "rnd-50");
  EXPECT_EQ(make_strategy("rnd-50").value()->name(), "rnd-50");
  EXPECT_FALSE(make_strategy("rnd"));
  EXPECT_FALSE(make_strategy("rnd-0"));
}

}  // namespace
}  // namespace fulcrum::scheduler

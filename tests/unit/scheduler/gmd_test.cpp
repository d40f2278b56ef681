#include "scheduler/gmd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cheap_learner.h"
#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

using ::testing::ElementsAre;

double power_of(const PowerMode& m) {
  return static_cast<double>(m.cpu_cores + m.cpu_khz + m.gpu_hz + m.emc_hz);
}

// Every level up saves 10 ms and costs `watts`; the task and the batch size do not matter.
MadeUpBoard linear(double watts) {
  return {[watts](WorkloadTask, const PowerMode& m, int) {
    return MadeUpBoard::Step{1e5 - 10 * power_of(m), 1 + watts * power_of(m)};
  }};
}

Problem train(ModeGrid grid, std::optional<double> power_w) {
  Problem problem;
  problem.grid = std::move(grid);
  problem.power_budget_w = power_w;
  return problem;
}

std::vector<std::int64_t> cpu_of(const SearchRun& run) {
  std::vector<std::int64_t> levels;
  for (const auto& probe : run.probes)
    levels.push_back(probe.mode.cpu_khz);
  return levels;
}

TEST(Gmd, BeginsInTheMiddleAndGoesUpInEachDimensionWhenThatIsInsideTheBudget) {
  const auto run = search("gmd", train(grid_of({1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}), 100), linear(2));
  ASSERT_GE(run.probes.size(), 5U);
  const auto modes = modes_of(run);
  EXPECT_THAT(std::vector<PowerMode>(modes.begin(), modes.begin() + 5),
              ElementsAre(PowerMode{2, 2, 2, 2}, PowerMode{3, 2, 2, 2}, PowerMode{2, 2, 3, 2},
                          PowerMode{2, 3, 2, 2}, PowerMode{2, 2, 2, 3}));
}

TEST(Gmd, GoesDownInEachDimensionWhenTheMiddleIsOverTheBudget) {
  const auto run = search("gmd", train(grid_of({1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}), 12), linear(2));
  const auto modes = modes_of(run);
  ASSERT_GE(modes.size(), 5U);
  EXPECT_THAT(std::vector<PowerMode>(modes.begin(), modes.begin() + 5),
              ElementsAre(PowerMode{2, 2, 2, 2}, PowerMode{1, 2, 2, 2}, PowerMode{2, 2, 1, 2},
                          PowerMode{2, 1, 2, 2}, PowerMode{2, 2, 2, 1}));
}

TEST(Gmd, HalvesTheLevelsThatRemain) {
  // 1 + 2 (3 + f) W. Level 4, inside: the extreme is 7, then ceil((3 + 6) / 2) -> 6, over; of 5, 6, 7 now
  // floor(1 / 2) -> 5, inside, and nothing remains.
  const auto run = search("gmd", train(grid_of({1}, levels_up_to(7), {1}, {1}), 17.5), linear(2));
  EXPECT_THAT(cpu_of(run), ElementsAre(4, 7, 6, 5));
  ASSERT_NE(run.choice(), nullptr);
  EXPECT_EQ(run.choice()->mode.cpu_khz, 5);
}

TEST(Gmd, HalvesDownwardsAsWell) {
  // Level 4 is over: the extreme is 1, then floor(3 / 2) -> 2, inside; of 1, 2, 3 now ceil((1 + 2) / 2) -> 3.
  const auto run = search("gmd", train(grid_of({1}, levels_up_to(7), {1}, {1}), 13.5), linear(2));
  EXPECT_THAT(cpu_of(run), ElementsAre(4, 1, 2, 3));
  EXPECT_EQ(run.choice()->mode.cpu_khz, 3);
}

TEST(Gmd, StepsFirstWhereTimeChangesMostForItsPower) {
  // The GPU saves three times as much as the CPU for the same power.
  const MadeUpBoard board{[](WorkloadTask, const PowerMode& m, int) {
    return MadeUpBoard::Step{1000.0 - 10.0 * static_cast<double>(m.cpu_khz + 3 * m.gpu_hz),
                             1 + 2 * power_of(m)};
  }};
  const auto run = search("gmd", train(grid_of({1}, levels_up_to(7), levels_up_to(7), {1}), 100), board);
  ASSERT_GE(run.probes.size(), 4U);
  EXPECT_EQ(run.probes[3].mode, (PowerMode{1, 4, 6, 1})) << "after the middle and two extremes";
}

TEST(Gmd, GivesEqualScoresToCoresThenGpuThenCpuThenMemory) {
  const auto all =
      search("gmd", train(grid_of(levels_up_to(7), levels_up_to(7), levels_up_to(7), levels_up_to(7)), 1000),
             linear(2));
  EXPECT_EQ(all.probes.at(5).mode, (PowerMode{6, 4, 4, 4}));
  const auto no_cores =
      search("gmd", train(grid_of({1}, levels_up_to(7), levels_up_to(7), levels_up_to(7)), 1000), linear(2));
  EXPECT_EQ(no_cores.probes.at(4).mode, (PowerMode{1, 4, 6, 4}));
  const auto no_gpu =
      search("gmd", train(grid_of({1}, levels_up_to(7), {1}, levels_up_to(7)), 1000), linear(2));
  EXPECT_EQ(no_gpu.probes.at(3).mode, (PowerMode{1, 6, 1, 4}));
}

TEST(Gmd, TakesNoSlopeOverLessThanAWatt) {
  // From level 4 to 7: 3 x 0.3 W.
  const auto run = search("gmd", train(grid_of({1}, levels_up_to(7), {1}, {1}), 100), linear(0.3));
  EXPECT_THAT(cpu_of(run), ElementsAre(4, 7));
  const auto steeper = search("gmd", train(grid_of({1}, levels_up_to(7), {1}, {1}), 100), linear(0.34));
  EXPECT_GT(steeper.probes.size(), 2U);
}

TEST(Gmd, TakesASmallerSlopeForInferenceAlone) {
  auto problem = train(grid_of({1}, levels_up_to(7), {1}, {1}), 100);
  problem.kind = ProblemKind::infer;
  problem.latency_budget_ms = 1e6;
  problem.arrival_rate_hz = 0.005;
  problem.inference_batch_sizes = {1, 4};
  const auto run = search("gmd", problem, linear(0.3));
  EXPECT_GT(run.probes.size(), 2U);
  EXPECT_THAT(cpu_of(search("gmd", problem, linear(0.05))), ElementsAre(4, 7));
}

TEST(Gmd, StopsAfterFifteenRounds) {
  const auto many = levels_up_to(512);
  const auto run = search("gmd", train(grid_of(many, many, many, many), 1000), linear(2));
  EXPECT_LE(run.probes.size(), 20U);
  EXPECT_GE(run.probes.size(), 15U);
}

TEST(Gmd, AnswersTheFastestProfiledModeEvenIfItIsNotOnItsWay) {
  const auto problem = train(grid_of({1}, levels_up_to(7), {1}, {1}), 13.5);
  ProfileSet known;
  ASSERT_TRUE(known.add({WorkloadTask::training, {1, 5, 1, 1}, 16, 1, 1, 13}));
  const auto run = search("gmd", problem, linear(2), known);
  EXPECT_THAT(cpu_of(run), ElementsAre(4, 1, 2, 3)) << "the way is the same";
  EXPECT_EQ(run.choice()->mode.cpu_khz, 5);
}

TEST(Gmd, SaysThatItHasNotFoundAModeRatherThanAnswerOneOverTheBudget) {
  const auto run = search("gmd", train(grid_of({1}, levels_up_to(7), {1}, {1}), 2), linear(2));
  ASSERT_NE(run.infeasible(), nullptr);
  EXPECT_FALSE(run.infeasible()->proved);
  EXPECT_EQ(run.infeasible()->power_budget_w->value, 9) << "level 1";
}

TEST(Gmd, StopsAtTheLimitOfProfiles) {
  auto problem = train(grid_of({1}, levels_up_to(7), {1}, {1}), 17.5);
  problem.max_profiles = 3;
  const auto run = search("gmd", problem, linear(2));
  EXPECT_THAT(cpu_of(run), ElementsAre(4, 7, 6));
  EXPECT_EQ(run.choice()->mode.cpu_khz, 4);
}

// One CPU clock of 1 ... 7; a = 10 requests per second, so w = 100, 400, 1600 ms.
Problem beside_inference(ProblemKind kind, double power_w, double latency_ms) {
  auto problem = train(grid_of({1}, levels_up_to(7), {1}, {1}), power_w);
  problem.kind = kind;
  problem.latency_budget_ms = latency_ms;
  problem.arrival_rate_hz = 10;
  problem.inference_batch_sizes = {1, 4, 16};
  return problem;
}

TEST(GmdForInference, TriesLargerBatchesWhereTheSmallestCannotKeepUp) {
  // A batch takes 110 ms, whatever its size and the mode.
  const MadeUpBoard board{[](WorkloadTask, const PowerMode& m, int) {
    return MadeUpBoard::Step{110, 1 + 2 * power_of(m)};
  }};
  const auto run = search("gmd", beside_inference(ProblemKind::infer, 100, 1000), board);
  ASSERT_NE(run.choice(), nullptr);
  EXPECT_EQ(run.choice()->batch_size, 4);
  EXPECT_EQ(run.probes.back().batch_size, 4) << "the first that is feasible ends the search";
}

TEST(GmdForInference, MeasuresNothingThatIsNotCollectedInTime) {
  const auto run = search("gmd", beside_inference(ProblemKind::infer, 100, 300), linear(2));
  for (const auto& probe : run.probes)
    EXPECT_EQ(probe.batch_size, 1);
  const auto none = search("gmd", beside_inference(ProblemKind::infer, 100, 100), linear(2));
  EXPECT_TRUE(none.probes.empty());
  ASSERT_NE(none.infeasible(), nullptr);
  EXPECT_TRUE(none.infeasible()->proved);
}

// Inference takes 60 ms a request at level 7 and more below; training 10 ms.
MadeUpBoard slow_inference() {
  return {[](WorkloadTask task, const PowerMode& m, int batch) {
    const double slower = 7.0 / static_cast<double>(m.cpu_khz);
    return MadeUpBoard::Step{task == WorkloadTask::training ? 10 * slower : 60 * slower * batch,
                             1 + 2 * power_of(m)};
  }};
}

TEST(GmdForBoth, TakesTheLargestBatchThatTheHighestModeServesInTime) {
  // At level 7: 16 takes 1600 + 960 ms, 4 takes 400 + 240.
  const auto run = search("gmd", beside_inference(ProblemKind::concurrent, 100, 700), slow_inference());
  ASSERT_GE(run.probes.size(), 3U);
  EXPECT_EQ(run.probes[0].mode.cpu_khz, 7);
  EXPECT_EQ(run.probes[0].batch_size, 4) << "16 are not collected in 700 ms";
  EXPECT_EQ(run.probes[1].task, WorkloadTask::training);
  EXPECT_EQ(run.probes[1].mode.cpu_khz, 4);
  EXPECT_EQ(run.probes[2].task, WorkloadTask::inference);
  EXPECT_EQ(run.probes[2].batch_size, 4);
  ASSERT_NE(run.choice(), nullptr);
  EXPECT_EQ(run.choice()->batch_size, 4);
}

TEST(GmdForBoth, GoesDownToTheBatchThatIsServedInTime) {
  const auto run = search("gmd", beside_inference(ProblemKind::concurrent, 100, 2000), slow_inference());
  ASSERT_GE(run.probes.size(), 2U);
  EXPECT_EQ(run.probes[0].batch_size, 16) << "collected in 1600 ms, served after 2560";
  EXPECT_EQ(run.probes[1].batch_size, 4);
  EXPECT_EQ(run.probes[1].mode.cpu_khz, 7);
}

TEST(GmdForBoth, TriesSmallerBatchesWhenTheFirstIsNowhereFeasible) {
  // A batch of 4 draws 50 W more than one of 1.
  const MadeUpBoard board{[](WorkloadTask task, const PowerMode& m, int batch) {
    const double more_w = task == WorkloadTask::inference && batch > 1 ? 50 : 0;
    return MadeUpBoard::Step{20, 1 + 2 * power_of(m) + more_w};
  }};
  const auto run = search("gmd", beside_inference(ProblemKind::concurrent, 30, 1000), board);
  ASSERT_NE(run.choice(), nullptr);
  EXPECT_EQ(run.choice()->batch_size, 1);
  EXPECT_EQ(run.probes.back().batch_size, 1);
}

TEST(GmdForBoth, StopsAfterTwentyFiveTries) {
  // Nothing is feasible, but everything keeps up: training needs little power, inference always too much.
  auto problem = beside_inference(ProblemKind::concurrent, 30, 10000);
  problem.grid = grid_of(levels_up_to(7), levels_up_to(7), levels_up_to(7), levels_up_to(7));
  problem.inference_batch_sizes = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64};
  const MadeUpBoard board{[](WorkloadTask task, const PowerMode& m, int) {
    return task == WorkloadTask::training ? MadeUpBoard::Step{20, 10}
                                          : MadeUpBoard::Step{50 - power_of(m), 40 + 2 * power_of(m)};
  }};
  const auto run = search("gmd", problem, board);
  ASSERT_NE(run.infeasible(), nullptr);
  const auto trained = std::count_if(run.probes.begin(), run.probes.end(), [](const Measure& probe) {
    return probe.task == WorkloadTask::training;
  });
  const auto inferred = static_cast<std::ptrdiff_t>(run.probes.size()) - trained;
  EXPECT_EQ(inferred, 25 + 1) << "and the highest mode, to find the batch size";
}

TEST(GmdForBoth, SaysSoWhenNoBatchIsServedInTimeAnywhere) {
  const auto run = search("gmd", beside_inference(ProblemKind::concurrent, 100, 120), slow_inference());
  ASSERT_NE(run.infeasible(), nullptr);
  EXPECT_EQ(run.probes.size(), 1U);
}

TEST(Exhaustive, AsksForEveryModeOnce) {
  const auto run =
      search("exhaustive", beside_inference(ProblemKind::concurrent, 100, 700), slow_inference());
  EXPECT_EQ(run.probes.size(), 7U * 3) << "7 modes, training and batches of 1 and 4";
  ASSERT_NE(run.choice(), nullptr);
}

TEST(Exhaustive, ProvesThatThereIsNoMode) {
  const auto run = search("exhaustive", train(grid_of({1}, levels_up_to(7), {1}, {1}), 2), linear(2));
  ASSERT_NE(run.infeasible(), nullptr);
  EXPECT_TRUE(run.infeasible()->proved);
  EXPECT_EQ(run.infeasible()->reason, "no mode draws 2.0 W or less: the least is 9.0 W");
}

TEST(Strategies, AreMadeByName) {
  EXPECT_EQ(make_strategy("gmd").value()->name(), "gmd");
  EXPECT_EQ(make_strategy("exhaustive").value()->name(), "exhaustive");
}

TEST(Strategies, AreSuggestedForANameThatIsNearlyOne) {
  const auto made = make_strategy("gdm");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(made.error().hint, "did you mean 'gmd'?");
}

}  // namespace
}  // namespace fulcrum::scheduler

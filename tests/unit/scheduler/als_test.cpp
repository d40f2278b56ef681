#include "scheduler/als.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "cheap_learner.h"
#include "made_up_board.h"
#include "scheduler/usefulness.h"

namespace fulcrum::scheduler {
namespace {

using testing::ElementsAre;

// 3 x 5 x 5 x 3 modes of a board whose CPU, GPU and memory take turns.
Problem train_problem() {
  Problem problem;
  problem.grid = grid_of({2, 4, 8}, levels_up_to(5), levels_up_to(5), levels_up_to(3));
  problem.power_budget_w = 20;
  problem.decide_with = TimeStatistic::p50;
  return problem;
}

Problem inference_problem(ProblemKind kind) {
  Problem problem = train_problem();
  problem.kind = kind;
  problem.latency_budget_ms = 1000;
  problem.arrival_rate_hz = 20;
  problem.inference_batch_sizes = {1, 4, 16};
  return problem;
}

MadeUpBoard roofline_board() {
  return {[](WorkloadTask task, const PowerMode& m, int batch) {
    const double work = task == WorkloadTask::training ? 40 : 4 + batch;
    const double time = work * (1.0 / static_cast<double>(m.cpu_khz) / m.cpu_cores +
                                2.0 / static_cast<double>(m.gpu_hz) + 1.0 / static_cast<double>(m.emc_hz));
    const double power = 5 + 0.1 * static_cast<double>(m.cpu_cores * m.cpu_khz) +
                         2.0 * static_cast<double>(m.gpu_hz) + static_cast<double>(m.emc_hz);
    return MadeUpBoard::Step{time, power};
  }};
}

SearchRun learn_search(const std::string& name, const Problem& problem, const StrategyTools& tools,
                       ProfileSet known = {}) {
  SearchRun run;
  run.profiles = std::move(known);
  const auto strategy = make_strategy(name, tools).value();
  while (run.probes.size() < kFarTooManyProbes) {
    run.end = strategy->next(problem, run.profiles);
    const auto* probe = std::get_if<Measure>(&run.end);
    if (probe == nullptr || !run.profiles.add(roofline_board().measure(*probe))) break;
    run.probes.push_back(*probe);
  }
  return run;
}

std::size_t count_of(const std::vector<Measure>& probes, WorkloadTask task) {
  return static_cast<std::size_t>(
      std::count_if(probes.begin(), probes.end(), [task](const Measure& m) { return m.task == task; }));
}

TEST(Als, NeedsALearner) {
  const auto made = make_strategy("als");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(make_strategy("als-12").has_value());
}

TEST(Als, SaysItsNumberInItsName) {
  EXPECT_EQ(make_strategy("als", cheap_tools()).value()->name(), "als");
  EXPECT_EQ(make_strategy("als12", cheap_tools()).value()->name(), "als-12");
  EXPECT_FALSE(make_strategy("als-N", cheap_tools()).has_value());
}

TEST(Als, MeasuresAsManyProfilesAsItsKindTakes) {
  const auto tools = cheap_tools();
  EXPECT_EQ(learn_search("als", train_problem(), tools).probes.size(), 50U);
  EXPECT_EQ(learn_search("als", inference_problem(ProblemKind::infer), tools).probes.size(), 100U);
  EXPECT_EQ(learn_search("als", inference_problem(ProblemKind::concurrent), tools).probes.size(), 145U);
  EXPECT_EQ(learn_search("als-7", train_problem(), tools).probes.size(), 7U);
}

TEST(Als, BeginsAtBothEndsOfThePowerRange) {
  const auto run = learn_search("als-12", train_problem(), cheap_tools());
  EXPECT_EQ(run.probes[0].mode, train_problem().grid.highest());
  EXPECT_EQ(run.probes[1].mode, train_problem().grid.mode(0));
}

TEST(Als, LooksAtEveryBatchSizeInTheHighestMode) {
  const auto problem = inference_problem(ProblemKind::infer);
  const auto run = learn_search("als-20", problem, cheap_tools());
  std::set<int> sizes;
  for (const auto& probe : run.probes) {
    if (probe.mode == problem.grid.highest()) sizes.insert(probe.batch_size);
  }
  EXPECT_THAT(sizes, ElementsAre(1, 4, 16));
}

TEST(Als, MeasuresBothWorkloadsOfAWayToRun) {
  const auto problem = inference_problem(ProblemKind::concurrent);
  const auto run = learn_search("als-40", problem, cheap_tools());
  EXPECT_GT(count_of(run.probes, WorkloadTask::training), 5U);
  for (const auto& probe : run.probes) {
    if (probe.task == WorkloadTask::training) continue;
    EXPECT_NE(run.profiles.find(WorkloadTask::training, probe.mode, problem.training_batch_size), nullptr);
  }
}

// One search is for all budgets.
TEST(Als, MeasuresTheSameWhateverTheBudgets) {
  for (const auto kind : {ProblemKind::infer, ProblemKind::concurrent}) {
    auto problem = inference_problem(kind);
    const auto one = learn_search("als-40", problem, cheap_tools());
    problem.power_budget_w = 9;
    problem.latency_budget_ms = 300;
    problem.arrival_rate_hz = 55;
    const auto other = learn_search("als-40", problem, cheap_tools());
    ASSERT_EQ(one.probes.size(), other.probes.size());
    for (std::size_t i = 0; i < one.probes.size(); ++i)
      EXPECT_EQ(one.probes[i].to_string(), other.probes[i].to_string());
  }
}

TEST(Als, AnswersALaterBudgetAtOnce) {
  auto problem = train_problem();
  const auto first = learn_search("als-30", problem, cheap_tools());
  problem.power_budget_w = 12;
  const auto second = learn_search("als-30", problem, cheap_tools(), first.profiles);
  EXPECT_TRUE(second.probes.empty());
  ASSERT_NE(second.choice(), nullptr);
  EXPECT_LE(second.choice()->power_w, 12);
}

// Whoever measured them: as many as it would take are enough.
TEST(Als, AnswersFromProfilesOfOthers) {
  const auto problem = train_problem();
  ProfileSet known;
  for (std::size_t i = 0; i < 30; ++i) {
    const Measure probe{WorkloadTask::training, problem.grid.mode(7 * i), 16};
    ASSERT_TRUE(known.add(roofline_board().measure(probe)).has_value());
  }
  EXPECT_TRUE(learn_search("als-30", problem, cheap_tools(), known).probes.empty());
  EXPECT_FALSE(learn_search("als-31", problem, cheap_tools(), known).probes.empty());
}

TEST(Als, DoesNotSearchWhereNoBatchCanBeCollectedInTime) {
  auto problem = inference_problem(ProblemKind::concurrent);
  problem.latency_budget_ms = 10;
  const auto run = learn_search("als", problem, cheap_tools());
  EXPECT_TRUE(run.probes.empty());
  ASSERT_NE(run.infeasible(), nullptr);
  EXPECT_TRUE(run.infeasible()->proved);
}

TEST(Als, EndsWithWhatIsMeasuredWhenTheLearnerFails) {
  StrategyTools tools;
  tools.learner = std::make_shared<FailingLearner>();
  const auto run = learn_search("als", train_problem(), tools);
  EXPECT_EQ(run.probes.size(), 10U);
  EXPECT_NE(run.choice(), nullptr);
}

TEST(Als, SeedsGiveDifferentSearches) {
  const auto one = learn_search("als-20", train_problem(), cheap_tools(1));
  const auto two = learn_search("als-20", train_problem(), cheap_tools(2));
  const bool same =
      std::equal(one.probes.begin(), one.probes.end(), two.probes.begin(), two.probes.end(),
                 [](const Measure& a, const Measure& b) { return a.to_string() == b.to_string(); });
  EXPECT_FALSE(same);
}

// A grid all of which is known, but for one mode that draws less than all others of its speed.
TEST(Usefulness, FindsTheOneModeThatWouldHelp) {
  Problem problem;
  problem.grid = grid_of({1}, {1, 2, 3}, {1}, {1});
  WorkloadGrids grids;
  grids.training.batch_sizes = {16};
  grids.training.points = {{40, 10, 0, 0, true}, {20, 12, 0, 0, false}, {15, 20, 0, 0, true}};
  const auto picks = most_useful(problem, grids, 5);
  ASSERT_EQ(picks.size(), 1U);
  EXPECT_EQ(picks[0].mode, problem.grid.mode(1));
}

TEST(Usefulness, HasNothingToGainWhereEverythingIsMeasured) {
  Problem problem;
  problem.grid = grid_of({1}, {1, 2}, {1}, {1});
  WorkloadGrids grids;
  grids.training.batch_sizes = {16};
  grids.training.points = {{40, 10, 0, 0, true}, {20, 12, 0, 0, true}};
  EXPECT_TRUE(most_useful(problem, grids, 5).empty());
}

}  // namespace
}  // namespace fulcrum::scheduler

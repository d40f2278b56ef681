#include "eval/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "eval/search.h"
#include "small_tables.h"

namespace fulcrum::eval {
namespace {

using scheduler::ProblemKind;

std::vector<std::string> rows_of(std::vector<Result> results) {
  std::vector<std::string> rows;
  rows.reserve(results.size());
  for (auto& result : results) {
    result.decision_ms = 0;  // the only thing that time decides
    rows.push_back(to_csv(result));
  }
  return rows;
}

std::vector<Result> results_of(const Evaluation& evaluation) {
  return evaluate(evaluation).value();
}

class Threads : public ::testing::TestWithParam<bool> {};

TEST_P(Threads, DoNotChangeTheResults) {
  auto evaluation = small_evaluation({"gmd", "rnd-5", "bs", "maxn", "exhaustive"});
  evaluation.noise = {.03, .02, 1};
  evaluation.warm = GetParam();
  evaluation.jobs = 1;
  const auto alone = rows_of(results_of(evaluation));
  evaluation.jobs = 4;
  EXPECT_EQ(rows_of(results_of(evaluation)), alone);
}

INSTANTIATE_TEST_SUITE_P(ColdAndWarm, Threads, ::testing::Bool(),
                         [](const auto& warm) { return warm.param ? "Warm" : "Cold"; });

TEST(Evaluations, GiveARowForEachProblemAndStrategyInTheirOrder) {
  const auto evaluation = small_evaluation({"gmd", "maxn"});
  const auto results = results_of(evaluation);
  std::size_t problems = 0;
  for (const auto& sweep : evaluation.sweeps)
    problems += sweep.problems.size();
  ASSERT_EQ(results.size(), 2 * problems);
  EXPECT_EQ(results[0].strategy, "gmd");
  EXPECT_EQ(results[1].strategy, "maxn");
  EXPECT_EQ(results[2].power_budget_w, evaluation.sweeps[0].problems[1].power_budget_w);
  EXPECT_EQ(results.back().scenario, "concurrent");
}

TEST(Evaluations, CallAnAnswerSolvedOnlyWhereItKeepsTheBudgets) {
  for (const auto& result : results_of(small_evaluation({"gmd", "exhaustive"}))) {
    EXPECT_NE(result.status, Status::violated) << "measured without noise";
    EXPECT_EQ(result.status == Status::infeasible, !result.solvable());
    if (result.status != Status::solved) continue;
    EXPECT_LE(result.answer->power_w, result.power_budget_w);
    EXPECT_GE(result.loss_pct.value_or(0), -1e-9);
    if (result.strategy == "exhaustive") {
      EXPECT_NEAR(result.loss_pct.value_or(0), 0, 1e-9);
    }
  }
}

TEST(Evaluations, AreNotMadeWithAStrategyThatLacksATool) {
  EXPECT_FALSE(evaluate(small_evaluation({"gmd", "preset"})));
}

TEST(Evaluations, JudgeAnswersFromNoisyMeasurementsByTheTruth) {
  auto evaluation = small_evaluation({"exhaustive"});
  evaluation.noise = {.2, .2, 1};
  const auto results = results_of(evaluation);
  const auto count = [&results](Status status) {
    return std::count_if(results.begin(), results.end(),
                         [status](const Result& r) { return r.status == status; });
  };
  EXPECT_GT(count(Status::violated), 0);
  EXPECT_GT(count(Status::solved), 0);
  for (const auto& result : results) {
    EXPECT_EQ(result.status == Status::violated, result.excess > 0);
  }
}

TEST(Evaluations, MeasureLessWhenWarm) {
  auto evaluation = small_evaluation({"gmd"});
  const auto profiles = [&evaluation] {
    int all = 0;
    for (const auto& result : results_of(evaluation))
      all += result.profiles;
    return all;
  };
  const int cold = profiles();
  evaluation.warm = true;
  EXPECT_LT(profiles(), cold / 3);
}

TEST(Evaluations, CountTheProfilesOfAStrategyThatServesAllBudgetsOnce) {
  const auto results = results_of(small_evaluation({"rnd-5"}));
  std::map<std::string, int> profiles;
  for (const auto& result : results)
    profiles[result.scenario] += result.profiles;
  EXPECT_EQ(profiles["train"], 5);
  EXPECT_EQ(profiles["infer"], 5);
  EXPECT_LE(profiles["concurrent"], 5);
  EXPECT_EQ(results.front().profiles, 5);
}

TEST(Evaluations, FindTheEndOfTheExhaustiveSearchWithoutItsSteps) {
  const auto evaluation = small_evaluation({});
  const auto exhaustive = scheduler::make_strategy("exhaustive").value();
  for (const auto& [bench, problems, priors] : evaluation.sweeps) {
    const Oracle oracle(bench);
    for (std::size_t i = 0; i < problems.size(); i += 7) {
      scheduler::ProfileSet known;
      const auto stepped = run_search(*exhaustive, problems[i], bench, {}, 0, known);
      const auto at_once = run_exhaustive_search(problems[i], bench, {}, oracle);
      EXPECT_EQ(at_once.profiles, stepped.profiles);
      EXPECT_EQ(at_once.modes, stepped.modes);
      ASSERT_EQ(at_once.end.index(), stepped.end.index());
      const auto* answer = std::get_if<scheduler::Answer>(&stepped.end);
      if (answer == nullptr) continue;
      EXPECT_EQ(std::get<scheduler::Answer>(at_once.end).choice.mode, answer->choice.mode);
    }
  }
}

TEST(Evaluations, EndASearchAtAGapOfTheTable) {
  const Table whole = small_table("net", WorkloadTask::training);
  auto rows = whole.rows();
  rows.pop_back();  // the highest mode
  const Table table = Table::make("net", WorkloadTask::training, rows).value();
  Evaluation evaluation;
  evaluation.sweeps.push_back(
      {make_bench(ProblemKind::train, GridChoice::full, &table, nullptr).value(), {}, {}});
  evaluation.sweeps[0].problems = problems_of(evaluation.sweeps[0].bench, {{40, 40, 1}, {}, {}});
  evaluation.strategies = {"maxn"};
  const auto results = results_of(evaluation);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].status, Status::missed);
  EXPECT_EQ(results[0].profiles, 0);
}

TEST(Evaluations, TellTheirProgressToTheEnd) {
  auto evaluation = small_evaluation({"gmd"});
  std::size_t last = 0, whole = 1;
  evaluation.progress = [&](std::size_t done, std::size_t all) { last = done, whole = all; };
  evaluation.jobs = 2;
  EXPECT_TRUE(evaluate(evaluation));
  EXPECT_EQ(last, whole);
}

}  // namespace
}  // namespace fulcrum::eval

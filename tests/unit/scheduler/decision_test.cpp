#include "scheduler/decision.h"

#include <gtest/gtest.h>

#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

// A higher clock is faster and draws more: 10 W a level.
const MadeUpBoard kBoard{[](WorkloadTask task, const PowerMode& m, int batch) -> MadeUpBoard::Step {
  const auto clock = static_cast<double>(m.cpu_khz);
  const double work = task == WorkloadTask::training ? 40 : 8 * (1 + 0.25 * (batch - 1));
  return {work / clock, 10 * clock + (task == WorkloadTask::training ? 2 : 0)};
}};

Problem problem(ProblemKind kind, double power_w) {
  Problem p;
  p.kind = kind;
  p.grid = grid_of({1}, levels_up_to(4), {1}, {1});
  p.power_budget_w = power_w;
  p.latency_budget_ms = 100;
  p.arrival_rate_hz = 50;
  p.inference_batch_sizes = {1, 4};
  return p;
}

struct Run {
  Settlement end;
  int probes = 0;
  ProfileSet profiles;
};

Run run(const Problem& p, const SearchLimits& limits = {}, const ProfileSet& stand_ins = {}) {
  const auto strategy = make_strategy("exhaustive").value();
  Run run;
  while (true) {
    auto decision = decide(p, adviser(*strategy), run.profiles, stand_ins, limits);
    if (auto* settled = std::get_if<Settlement>(&decision)) {
      run.end = std::move(*settled);
      return run;
    }
    EXPECT_TRUE(run.profiles.add(kBoard.measure(std::get<Measure>(decision))));
    ++run.probes;
  }
}

TEST(Decision, SettlesInTheStrategysChoice) {
  const auto r = run(problem(ProblemKind::concurrent, 35));
  ASSERT_TRUE(r.end.choice);
  EXPECT_EQ(r.end.mode(), clocked(3));
  EXPECT_FALSE(r.end.infeasible);
}

TEST(Decision, WhereTrainingDoesNotFitInferenceGoesOnAlone) {
  const auto r = run(problem(ProblemKind::concurrent, 11));
  ASSERT_TRUE(r.end.infeasible);
  ASSERT_TRUE(r.end.instead);
  EXPECT_EQ(r.end.mode(), clocked(1)) << "10 W, where training would draw 12";
  EXPECT_EQ(r.end.instead->batch_size, 1);
  EXPECT_TRUE(r.end.instead->keeps_budgets);
}

TEST(Decision, WhereInferenceMissesItsBudgetItIsAsFastAsThePowerBudgetAllows) {
  auto p = problem(ProblemKind::concurrent, 25);
  p.latency_budget_ms = 20.5;  // w = 20 ms
  const auto r = run(p);
  ASSERT_TRUE(r.end.instead);
  EXPECT_EQ(r.end.mode(), clocked(2));
  EXPECT_FALSE(r.end.instead->keeps_budgets);
}

TEST(Decision, WhereNothingIsInsideThePowerBudgetTheLeastPowerIsDrawn) {
  const auto r = run(problem(ProblemKind::infer, 5));
  ASSERT_TRUE(r.end.instead);
  EXPECT_EQ(r.end.mode(), clocked(1));
  EXPECT_GT(r.end.instead->batch_size, 0) << "inference goes on";
  EXPECT_EQ(r.end.infeasible->power_budget_w->value, 10);
}

TEST(Decision, TrainingThatDoesNotFitWaitsInTheModeThatDrawsLeast) {
  const auto r = run(problem(ProblemKind::train, 5));
  ASSERT_TRUE(r.end.instead);
  EXPECT_EQ(r.end.mode(), clocked(1));
  EXPECT_EQ(r.end.instead->batch_size, 0);
}

TEST(Decision, NoFurtherModeThanTheLimitIsProfiled) {
  const auto r = run(problem(ProblemKind::concurrent, 35), {2});
  EXPECT_EQ(r.probes, 6) << "training and two batch sizes, in two modes";
  EXPECT_EQ(r.end.mode(), clocked(2)) << "the best of the known";
}

TEST(Decision, AStandInLetsTheSearchGoOnAndIsNoAnswer) {
  ProfileSet stand_ins;
  ASSERT_TRUE(stand_ins.add({WorkloadTask::training, clocked(3), 16, 0.001, 0.001, 1}));
  const auto r = run(problem(ProblemKind::train, 35), {}, stand_ins);
  EXPECT_EQ(r.probes, 3);
  EXPECT_EQ(r.end.mode(), clocked(2));
}

TEST(Decision, WaitsForAdviceThatIsNotKnownYet) {
  ProfileSet known;
  ASSERT_TRUE(known.add(kBoard.measure({WorkloadTask::training, clocked(2), 16})));
  const auto silent = [](const Problem&, const ProfileSet&) { return std::optional<Advice>(); };
  const auto decision = decide(problem(ProblemKind::train, 35), silent, known, {}, {});
  ASSERT_TRUE(std::holds_alternative<Unadvised>(decision));
  EXPECT_EQ(std::get<Unadvised>(decision).problem.kind, ProblemKind::train);
  EXPECT_EQ(std::get<Unadvised>(decision).profiles.size(), 1U);
}

TEST(Decision, WithoutAdviceToMeasureTheBestOfTheKnownIsTaken) {
  ProfileSet known;
  ASSERT_TRUE(known.add(kBoard.measure({WorkloadTask::training, clocked(2), 16})));
  const auto done = [](const Problem&, const ProfileSet&) { return std::optional<Advice>(NothingMore{}); };
  const auto decision = decide(problem(ProblemKind::train, 35), done, known, {}, {});
  EXPECT_EQ(std::get<Settlement>(decision).mode(), clocked(2));
}

// Takes one way to run for the best without having seen it.
class Prophet : public Strategy {
 public:
  std::string_view name() const override { return "prophet"; }
  Step next(const Problem&, const ProfileSet&) const override {
    Choice choice;
    choice.mode = clocked(3);
    choice.batch_size = 1;
    return Answer{std::move(choice)};
  }
};

TEST(Decision, APredictedAnswerIsMeasuredBeforeItCounts) {
  ProfileSet known;
  const auto p = problem(ProblemKind::concurrent, 35);
  const Prophet prophet;
  std::vector<WorkloadTask> measured;
  auto decision = decide(p, adviser(prophet), known, {}, {});
  while (const auto* measure = std::get_if<Measure>(&decision)) {
    EXPECT_EQ(measure->mode, clocked(3));
    measured.push_back(measure->task);
    ASSERT_TRUE(known.add(kBoard.measure(*measure)));
    decision = decide(p, adviser(prophet), known, {}, {});
  }
  EXPECT_EQ(measured, (std::vector<WorkloadTask>{WorkloadTask::training, WorkloadTask::inference}));
  EXPECT_EQ(std::get<Settlement>(decision).choice->profiles.size(), 2U);
}

// ---- while jobs run ----

ProfileSet steps_of(std::initializer_list<std::pair<int, double>> ms_by_mode) {
  ProfileSet known;
  for (const auto& [number, ms] : ms_by_mode)
    EXPECT_TRUE(known.add({WorkloadTask::training, clocked(number), 16, ms, ms, 20}));
  return known;
}

TEST(Decision, WhatRunsStaysIfTheBestIsHardlyBetter) {
  const auto p = problem(ProblemKind::train, 35);
  const auto known = steps_of({{1, 10.1}, {2, 10}});
  EXPECT_EQ(settle(p, known).mode(), clocked(2));
  const auto settled = settle(p, known, Running{clocked(1), 0});
  EXPECT_EQ(settled.mode(), clocked(1));
  EXPECT_NEAR(settled.choice->runner_up->gain_percent.value(), 1, .01) << "which is told";
}

TEST(Decision, WhatRunsGivesWayToWhatIsWorthASwitch) {
  const auto p = problem(ProblemKind::train, 35);
  EXPECT_EQ(settle(p, steps_of({{1, 10.3}, {2, 10}}), Running{clocked(1), 0}).mode(), clocked(2));
}

TEST(Decision, WhatRunsGivesWayWhenABudgetIsBroken) {
  const auto p = problem(ProblemKind::train, 21);
  auto known = steps_of({{2, 10}});
  ASSERT_TRUE(known.add({WorkloadTask::training, clocked(1), 16, 10, 10, 25}));
  EXPECT_EQ(settle(p, known, Running{clocked(1), 0}).mode(), clocked(2));
}

// The rate has changed: another batch size in the same mode is another way to run.
TEST(Decision, AnotherBatchSizeIsASwitchToo) {
  const auto p = problem(ProblemKind::infer, 35);
  ProfileSet known;
  ASSERT_TRUE(known.add({WorkloadTask::inference, clocked(1), 1, 5, 5, 20}));
  ASSERT_TRUE(known.add({WorkloadTask::inference, clocked(1), 4, 5, 5, 20}));
  EXPECT_EQ(settle(p, known, Running{clocked(1), 4}).choice->batch_size, 1) << "25 ms instead of 85";
}

TEST(Decision, FromWhatIsKnownNothingIsMeasured) {
  ProfileSet known;
  ASSERT_TRUE(known.add(kBoard.measure({WorkloadTask::training, clocked(2), 16})));
  EXPECT_EQ(settle(problem(ProblemKind::train, 35), known).mode(), clocked(2));
  EXPECT_EQ(settle(problem(ProblemKind::train, 35), {}).mode(), std::nullopt);
}

}  // namespace
}  // namespace fulcrum::scheduler

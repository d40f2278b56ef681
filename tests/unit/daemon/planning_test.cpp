// Searches while nobody waits for answers; beside requests that are being answered: planning_live_test.cpp.

#include "daemon/planning.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/unit/daemon/planned_jobs.h"

namespace fulcrum::daemon {
namespace {

using scheduler::ProblemKind;
using test::gpu_mode;
using test::gpu_scene;
using test::inference_to_plan;
using test::jobs_of;
using test::kTraining;
using test::PlanningScene;
using test::training_to_plan;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ProblemKind kind_of(const PlanningScene& scene) {
  return settle_now(scene.jobs, scene.rules()).settlement.problem.kind;
}

// ---- problems ----

TEST(PlanningProblem, IsOfTheKindsOfJobsThatThereAre) {
  auto scene = gpu_scene("exhaustive", 4, {});
  scene.add(1, training_to_plan());
  EXPECT_EQ(kind_of(scene), ProblemKind::train);
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  EXPECT_EQ(kind_of(scene), ProblemKind::concurrent);
  scene.jobs.erase(1);
  EXPECT_EQ(kind_of(scene), ProblemKind::infer);
}

TEST(PlanningProblem, IsOfTheOldestTrainingJob) {
  auto scene = gpu_scene("exhaustive", 4, {});
  scene.power_budget_w = 25;
  scene.add(3, training_to_plan(8));
  scene.add(4, inference_to_plan(50, 100, {1, 4}));
  scene.add(5, training_to_plan(32));
  const auto problem = settle_now(scene.jobs, scene.rules()).settlement.problem;
  EXPECT_EQ(problem.training_batch_size, 8);
  EXPECT_EQ(problem.arrival_rate_hz, 50);
  EXPECT_EQ(problem.latency_budget_ms, 100);
  EXPECT_EQ(problem.inference_batch_sizes, (std::vector<int>{1, 4}));
  EXPECT_EQ(problem.power_budget_w, 25);
}

TEST(PlanningProblem, IsOfAllInferenceJobs) {
  auto scene = gpu_scene("exhaustive", 4, {});
  scene.add(4, inference_to_plan(50, 100, {1, 4}));
  scene.add(6, inference_to_plan(10, 900, {1, 8}));
  const auto problem = searched_problem(scene.jobs, scene.rules());
  ASSERT_TRUE(problem.several);
  EXPECT_EQ(problem.several->jobs, 2);
  EXPECT_EQ(problem.arrival_rate_hz, 60);
  EXPECT_EQ(problem.inference_batch_sizes, (std::vector<int>{2, 5, 12}));
}

// ---- searches ----

TEST(PlanningSearch, ATrainingJobRunsInTheFastestModeInsideThePowerBudget) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.power_budget_w = 35;
  scene.add(1, training_to_plan());
  const auto settled = scene.search();
  ASSERT_TRUE(settled.settlement.choice);
  EXPECT_EQ(settled.plan.mode, gpu_mode(3));
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1));
  EXPECT_EQ(settled.plan.training_per_window, std::nullopt) << "it has the device to itself";
  EXPECT_EQ(settled.plan.power_budget_w, 35);
  EXPECT_EQ(settled.plan.expected_power_w, 30);
  EXPECT_THAT(settled.plan.notes, IsEmpty());
}

TEST(PlanningSearch, AnInferenceJobIsAnsweredSoonest) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {4, 4}}});
  scene.power_budget_w = 35;
  scene.add(1, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  ASSERT_TRUE(settled.settlement.choice);
  EXPECT_EQ(settled.plan.mode, gpu_mode(3));
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(1));
  EXPECT_EQ(settled.plan.inference[0].batch_size, 1);
  EXPECT_NEAR(settled.plan.inference[0].expected_latency_ms, 20 + 8 / 3.0, 1e-9);
}

TEST(PlanningSearch, TrainingAndInferenceRunAsWasChosen) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30, 0, 9}}, {2, {4, 4}}});
  scene.power_budget_w = 35;
  scene.margin_ms = 5;
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  ASSERT_TRUE(settled.settlement.choice);
  const auto& choice = *settled.settlement.choice;
  EXPECT_EQ(settled.plan.mode, gpu_mode(3));
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2));
  EXPECT_EQ(settled.plan.inference[0].batch_size, choice.batch_size);
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1));
  EXPECT_EQ(settled.plan.training_per_window, choice.training_per_window);
  EXPECT_EQ(settled.plan.expected_power_w, 30) << "inference draws more";
  EXPECT_EQ(settled.plan.margin_ms, 5);
}

TEST(PlanningSearch, NobodyIsServedWhileNobodyIsLive) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30}}, {2, {4, 4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  scene.search([](const TakeProbe& probe) {
    EXPECT_EQ(probe.meanwhile.mode, probe.measure.mode);
    EXPECT_THAT(jobs_of(probe.meanwhile.inference), IsEmpty());
    EXPECT_THAT(jobs_of(probe.meanwhile.training), IsEmpty());
  });
  EXPECT_EQ(scene.probes.size(), 12u) << "training and two batch sizes, in four modes";
}

TEST(PlanningSearch, AProbeTellsHowLongItsStepsCanTake) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.search();
  EXPECT_EQ(scene.probes[0].step_bound_ms, 0) << "nothing is known";
  EXPECT_EQ(scene.probes[1].step_bound_ms, 40) << "no longer than in the slower mode";
}

TEST(PlanningSearch, GoesOnFromWhatIsKnown) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.know(1, {kTraining, gpu_mode(1), 16});
  scene.know(1, {kTraining, gpu_mode(4), 16});
  scene.search();
  EXPECT_EQ(scene.probes.size(), 2u);
}

TEST(PlanningSearch, ProfilesNoFurtherModeThanTheLimit) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30}}, {2, {4, 4}}});
  scene.limits.most_modes = 2;
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  EXPECT_EQ(settled.plan.mode, gpu_mode(2)) << "the best of the known";
  std::set<PowerMode> modes;
  for (const auto& probe : scene.probes)
    modes.insert(probe.measure.mode);
  EXPECT_EQ(modes.size(), 2u);
}

// ---- what cannot be measured ----

TEST(PlanningUnmeasurable, AModeThatCannotBeMeasuredIsNoAnswer) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.unmeasurable.insert({1, {kTraining, gpu_mode(4), 16}});
  EXPECT_EQ(scene.search().plan.mode, gpu_mode(3));
}

TEST(PlanningUnmeasurable, IsNotProbed) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.unmeasurable.insert({1, {kTraining, gpu_mode(2), 16}});
  scene.search([](const TakeProbe& probe) { EXPECT_NE(probe.measure.mode, gpu_mode(2)); });
  EXPECT_EQ(scene.probes.size(), 3u) << "the search walks on past it";
}

TEST(PlanningUnmeasurable, WithNothingMeasurableThePlanHasNoMode) {
  auto scene = gpu_scene("exhaustive", 4, {});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  EXPECT_EQ(settled.plan.mode, std::nullopt);
  EXPECT_EQ(settled.settlement.choice, std::nullopt);
  EXPECT_THAT(jobs_of(settled.plan.inference), IsEmpty());
  EXPECT_THAT(jobs_of(settled.plan.training), IsEmpty());
}

TEST(PlanningUnmeasurable, WhereTheFirstModeCannotBeMeasuredAnotherIsTried) {
  auto scene = gpu_scene("gmd", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.unmeasurable.insert({1, {kTraining, scene.grid.middle(), 16}});
  EXPECT_EQ(scene.search().plan.mode, gpu_mode(4));
}

TEST(PlanningUnmeasurable, WhereTrainingCannotBeMeasuredInferenceIsServedAlone) {
  auto scene = gpu_scene("gmd", 4, {{2, {4, 4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  EXPECT_THAT(jobs_of(settled.plan.inference), ElementsAre(2));
  EXPECT_THAT(jobs_of(settled.plan.training), IsEmpty());
  EXPECT_THAT(settled.plan.notes, Contains(HasSubstr("'fashion1' does not train")));
}

// ---- budgets that cannot be kept ----

TEST(PlanningInfeasible, TrainingIsLeftOutAndInferenceServed) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30, 0, 12}}, {2, {4, 4, 10}}});
  scene.power_budget_w = 11;
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  EXPECT_EQ(settled.plan.mode, gpu_mode(1));
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2));
  EXPECT_EQ(settled.plan.inference[0].warning, "") << "its budgets are kept";
  EXPECT_THAT(jobs_of(settled.plan.training), IsEmpty());
  EXPECT_EQ(settled.plan.expected_power_w, 10);
}

TEST(PlanningInfeasible, TheNotesSayWhichPowerBudgetWouldDo) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30, 0, 12}}, {2, {4, 4, 10}}});
  scene.power_budget_w = 11;
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  EXPECT_THAT(
      settled.plan.notes,
      ElementsAre("no mode draws 11.0 W or less: the least is 12.0 W; a power budget of 12.0 W would do",
                  "'fashion1' does not train: it waits for budgets that allow it"));
}

TEST(PlanningInfeasible, TheNotesSayWhichLatencyBudgetWouldDo) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30}}, {2, {4, 4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 21, {1, 4}));  // 20 ms to collect a request, and 2 ms a step
  const auto settled = scene.search();
  ASSERT_FALSE(settled.plan.notes.empty());
  EXPECT_THAT(settled.plan.notes[0], HasSubstr("a latency budget of 22.0 ms would do"));
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2));
  EXPECT_THAT(settled.plan.inference[0].warning, HasSubstr("the budget of 21.0 ms is too small"));
}

TEST(PlanningInfeasible, TrainingAloneWaitsInTheModeThatDrawsLeast) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.power_budget_w = 5;
  scene.add(1, training_to_plan());
  const auto settled = scene.search();
  EXPECT_EQ(settled.plan.mode, gpu_mode(1));
  EXPECT_THAT(jobs_of(settled.plan.training), IsEmpty());
  EXPECT_THAT(settled.plan.notes, Contains(HasSubstr("a power budget of 10.0 W would do")));
}

// Five requests a second, each to be answered in 100 ms: a batch of one takes 200 ms to collect.
TEST(PlanningInfeasible, RequestsThatComeTooSeldomForTheBudgetAreServedAllTheSame) {
  for (const char* strategy : {"gmd", "exhaustive"}) {
    auto scene = gpu_scene(strategy, 4, {{1, {30}}, {2, {4, 4}}});
    scene.power_budget_w = 35;
    scene.add(1, training_to_plan());
    scene.add(2, inference_to_plan(5, 100, {1, 4}));
    const auto settled = scene.search();
    EXPECT_EQ(settled.plan.mode, gpu_mode(3)) << "as fast as the power budget allows";
    ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2));
    EXPECT_EQ(settled.plan.inference[0].batch_size, 1);
    EXPECT_NE(settled.plan.inference[0].warning, "");
    EXPECT_THAT(settled.plan.notes, Contains(HasSubstr("takes 200.0 ms to collect")));
    EXPECT_EQ(settled.settlement.problem.latency_budget_ms, 100) << "as it was asked";
  }
}

// ---- without measuring ----

TEST(PlanningSettleNow, AnswersFromWhatIsKnown) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.know(1, {kTraining, gpu_mode(1), 16});
  scene.know(1, {kTraining, gpu_mode(2), 16});
  EXPECT_EQ(settle_now(scene.jobs, scene.rules()).plan.mode, gpu_mode(2));
}

TEST(PlanningSettleNow, StaysWhereItIsToldTo) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}, {2, {4, 4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  scene.search();
  const auto settled = settle_now(scene.jobs, scene.rules(), gpu_mode(2));
  EXPECT_EQ(settled.plan.mode, gpu_mode(2));
  EXPECT_TRUE(settled.settlement.choice);
  EXPECT_EQ(settled.plan.training[0].step_time.p99_ms, 20) << "as measured there";
}

TEST(PlanningSettleNow, OfAModeInWhichNothingIsKnownThereIsNoPlan) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}});
  scene.add(1, training_to_plan());
  scene.know(1, {kTraining, gpu_mode(1), 16});
  EXPECT_EQ(settle_now(scene.jobs, scene.rules(), gpu_mode(2)).plan.mode, std::nullopt);
}

TEST(PlanningFixedMode, PlansFromTheStepTimesOfTheJobs) {
  auto scene = gpu_scene("exhaustive", 4, {});
  scene.add(1, training_to_plan()).step_times = {{16, 8, 9}};
  scene.add(2, inference_to_plan(60, 100, {1, 4})).step_times = {{1, 3, 4}, {4, 9, 10}};
  const auto plan = plan_in_fixed_mode(scene.jobs, gpu_mode(2), 5);
  EXPECT_EQ(plan.mode, gpu_mode(2));
  EXPECT_EQ(plan.margin_ms, 5);
  EXPECT_EQ(plan.inference.at(0).batch_size, 4);
  EXPECT_EQ(plan.training_per_window, 6) << "(66.7 - 10) / 9";
}

TEST(PlanningFixedMode, LeavesOutWhatHasNoStepTimesYet) {
  auto scene = gpu_scene("exhaustive", 4, {});
  scene.add(1, training_to_plan()).step_times = {{16, 8, 9}};
  scene.add(2, inference_to_plan(60, 100, {1, 4}));
  const auto plan = plan_in_fixed_mode(scene.jobs, gpu_mode(2), 5);
  EXPECT_THAT(jobs_of(plan.training), ElementsAre(1));
  EXPECT_THAT(jobs_of(plan.inference), IsEmpty());
}

// Who advises is not here, and has not answered yet.
TEST(Planning, WithoutAdviceTheMoveIsNotKnownYet) {
  auto scene = gpu_scene("gmd", 3, {{1, {10, 0, 10}}});
  scene.add(1, training_to_plan());
  auto rules = scene.rules();
  rules.adviser = [](const scheduler::Problem&, const scheduler::ProfileSet&) {
    return std::optional<scheduler::Advice>();
  };
  const auto move = next_move(scene.jobs, rules, {});
  ASSERT_TRUE(std::holds_alternative<scheduler::Unadvised>(move));
  EXPECT_EQ(std::get<scheduler::Unadvised>(move).problem.grid.size(), 3U);
}

}  // namespace
}  // namespace fulcrum::daemon

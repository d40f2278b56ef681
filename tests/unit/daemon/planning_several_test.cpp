// Searches for several jobs of a kind while nobody waits for answers.

#include <gmock/gmock.h>

#include "daemon/planning.h"
#include "tests/unit/daemon/planned_jobs.h"

namespace fulcrum::daemon {
namespace {

using test::gpu_mode;
using test::gpu_scene;
using test::inference_to_plan;
using test::jobs_of;
using test::training_to_plan;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- several inference jobs ----

TEST(PlanningSeveral, TheModeIsSearchedForAllOfThem) {
  // At level 2 the camera alone keeps its 100 ms, 50 + 20, but not behind a batch of the other: 50 + 20 + 40.
  auto scene = gpu_scene("exhaustive", 4, {{1, {30, 0, 9}}, {2, {40}}, {3, {80}}});
  scene.power_budget_w = 50;
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(20, 100, {1}));
  scene.add(3, inference_to_plan(5, 1000, {1}));
  const auto settled = scene.search();
  EXPECT_EQ(scene.probes.size(), 12u) << "three jobs in four modes";
  ASSERT_TRUE(settled.settlement.choice);
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2, 3));
  EXPECT_EQ(settled.plan.mode, gpu_mode(4));
  EXPECT_EQ(settled.plan.inference[0].warning, "");
  EXPECT_EQ(settled.plan.inference[1].warning, "");
  scene.power_budget_w = 35;  // level 3
  EXPECT_EQ(scene.search().plan.mode, gpu_mode(3));
  scene.power_budget_w = 25;
  const auto too_little = scene.search();
  EXPECT_FALSE(too_little.settlement.choice);
  EXPECT_THAT(too_little.plan.notes,
              Contains("no mode inside 25.0 W keeps the latency budgets of 2 inference jobs beside each "
                       "other; a power budget of 30.0 W would do"));
  EXPECT_THAT(jobs_of(too_little.plan.training), IsEmpty());
  ASSERT_THAT(jobs_of(too_little.plan.inference), ElementsAre(2, 3)) << "answered all the same";
}

TEST(PlanningSeveral, TheJobThatDrawsMostCounts) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {4, 0, 9}}, {2, {2, 0, 12}}});
  scene.power_budget_w = 28;
  scene.add(1, inference_to_plan(50, 100, {1}));
  scene.add(2, inference_to_plan(10, 300, {1}));
  const auto settled = scene.search();
  EXPECT_EQ(settled.plan.mode, gpu_mode(2)) << "36 W at level 3";
  EXPECT_EQ(settled.plan.expected_power_w, 24);
  EXPECT_THAT(settled.plan.notes, IsEmpty());
}

TEST(PlanningSeveral, ThePlanHasTheBatchesThatWereChosen) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {30, 0, 9}}, {2, {4, 4}}, {3, {2, 2}}});
  scene.power_budget_w = 35;
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 200, {1, 4}));
  scene.add(3, inference_to_plan(10, 900, {1, 2, 8, 16}));
  const auto settled = scene.search();
  ASSERT_TRUE(settled.settlement.choice);
  const auto& choice = *settled.settlement.choice;
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2, 3));
  const auto& shares = settled.plan.inference;
  EXPECT_EQ(shares[0].batch_size + shares[1].batch_size, choice.batch_size);
  EXPECT_EQ(settled.plan.training_per_window, choice.training_per_window);
  ASSERT_EQ(choice.profiles.size(), 3u) << "of the jobs";
  EXPECT_EQ(choice.profiles[1].batch_size, shares[0].batch_size);
  EXPECT_EQ(choice.profiles[2].batch_size, shares[1].batch_size);
}

TEST(PlanningSeveral, ABudgetThatNoBatchCanBeCollectedInIsTold) {
  auto scene = gpu_scene("gmd", 4, {{1, {30}}, {2, {4}}, {3, {4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1}));
  scene.add(3, inference_to_plan(5, 100, {1}));
  const auto settled = scene.search();
  EXPECT_FALSE(settled.settlement.choice);
  ASSERT_THAT(jobs_of(settled.plan.inference), ElementsAre(2, 3));
  EXPECT_THAT(
      settled.plan.notes,
      Contains("the latency budget of 'camera3', 100.0 ms, is too small: at 5 requests per second the "
               "smallest batch, 1, takes 200.0 ms to collect"));
  EXPECT_EQ(settled.plan.inference[0].warning, "");
}

TEST(PlanningSeveral, OneThatCannotBeMeasuredDoesNotHinderTheOthers) {
  auto scene = gpu_scene("gmd", 4, {{1, {30}}, {3, {4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1}));
  scene.add(3, inference_to_plan(20, 100, {1}));
  const auto settled = scene.search();
  EXPECT_TRUE(settled.settlement.choice);
  EXPECT_THAT(jobs_of(settled.plan.inference), ElementsAre(3));
  EXPECT_THAT(settled.plan.notes, Contains(HasSubstr("'camera2' is not served")));
}

TEST(PlanningSeveral, WithoutAModeInWhichAllAreKnownTheOldestDecide) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {4}}, {2, {4}}});
  scene.add(1, inference_to_plan(50, 100, {1}));
  scene.search();
  scene.add(2, inference_to_plan(20, 100, {1}));
  const auto settled = settle_now(scene.jobs, scene.rules());
  EXPECT_EQ(settled.plan.mode, gpu_mode(4));
  EXPECT_THAT(jobs_of(settled.plan.inference), ElementsAre(1));
}

// ---- more jobs than the mode is searched for ----

TEST(PlanningOthers, ASecondTrainingJobIsMeasuredInTheModeThatWasFoundAndSharesIt) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}, {2, {20}}});
  scene.power_budget_w = 35;
  scene.add(1, training_to_plan());
  scene.add(2, training_to_plan());
  const auto settled = scene.search();
  EXPECT_EQ(scene.probes.size(), 5u);
  EXPECT_EQ(scene.probes.back().job, 2);
  EXPECT_EQ(scene.probes.back().measure.mode, gpu_mode(3));
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1, 2));
}

TEST(PlanningOthers, ASecondTrainingJobOverThePowerBudgetDoesNotTrain) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40, 0, 10}}, {2, {20, 0, 12}}});
  scene.power_budget_w = 35;
  scene.add(1, training_to_plan());
  scene.add(2, training_to_plan());
  const auto settled = scene.search();
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1));
  EXPECT_THAT(settled.plan.notes,
              ElementsAre("'fashion2' does not train: it would draw 36.0 W in this mode"));
}

TEST(PlanningOthers, WhereNobodyMayTrainASecondTrainingJobIsNotMeasured) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}, {2, {20}}});
  scene.power_budget_w = 5;
  scene.add(1, training_to_plan());
  scene.add(2, training_to_plan());
  scene.search([](const TakeProbe& probe) { EXPECT_EQ(probe.job, 1); });
}

TEST(PlanningOthers, WhatCannotBeMeasuredInTheModeIsLeftOut) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40}}, {2, {4, 4}}});
  scene.add(1, training_to_plan());
  scene.add(2, inference_to_plan(50, 100, {1, 4}));
  scene.add(3, training_to_plan());
  scene.add(4, inference_to_plan(50, 100, {1, 4}));
  const auto settled = scene.search();
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1));
  EXPECT_THAT(jobs_of(settled.plan.inference), ElementsAre(2));
  EXPECT_THAT(settled.plan.notes,
              ElementsAre("'camera4' is not served: it could not be measured in this mode",
                          "'fashion3' does not train: it could not be measured in this mode"));
}

TEST(PlanningOthers, ThePowerExpectedIsThatOfTheJobThatDrawsMost) {
  auto scene = gpu_scene("exhaustive", 4, {{1, {40, 0, 10}}, {2, {20, 0, 11}}});
  scene.power_budget_w = 35;
  scene.add(1, training_to_plan());
  scene.add(2, training_to_plan());
  EXPECT_EQ(scene.search().plan.expected_power_w, 33);
}

}  // namespace
}  // namespace fulcrum::daemon

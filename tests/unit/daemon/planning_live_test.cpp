// Searches while requests are being answered, which must not wait for them.

#include <gmock/gmock.h>

#include "daemon/planning.h"
#include "tests/unit/daemon/planned_jobs.h"

namespace fulcrum::daemon {
namespace {

using scheduler::Measure;
using test::gpu_mode;
using test::gpu_scene;
using test::GpuWork;
using test::inference_to_plan;
using test::jobs_of;
using test::kInference;
using test::kTraining;
using test::PlanningScene;
using test::training_to_plan;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Ne;

std::vector<Measure> measures_of(const PlanningScene& scene, JobId job) {
  std::vector<Measure> measures;
  for (const auto& probe : scene.probes) {
    if (probe.job == job) measures.push_back(probe.measure);
  }
  return measures;
}

// Job 2 answers requests, as it has settled by itself, and job 1 has come.
PlanningScene live_scene(const std::string& strategy, std::int64_t levels, std::map<JobId, GpuWork> work,
                         JobSpec inference) {
  auto scene = gpu_scene(strategy, levels, std::move(work));
  scene.add(2, std::move(inference));
  scene.serve(scene.search().plan);
  scene.add(1, training_to_plan());
  return scene;
}

// ---- the plan that keeps requests answered ----

TEST(PlanMeanwhile, IsOfTheLiveInferenceJobsAlone) {
  auto scene = gpu_scene("exhaustive", 2, {{1, {30}}, {2, {4, 4}}, {3, {4, 4}}, {4, {4, 4}}});
  scene.add(1, training_to_plan());
  for (const JobId id : {2, 3, 4}) {
    scene.add(id, inference_to_plan(20, 200, {1}));
    scene.know(id, {kInference, gpu_mode(1), 1});
  }
  scene.jobs.at(2).live = true;
  scene.jobs.at(4).live = true;
  const auto plan = plan_meanwhile(scene.jobs, gpu_mode(1), 5);
  EXPECT_THAT(jobs_of(plan.inference), ElementsAre(2, 4));
  EXPECT_THAT(jobs_of(plan.training), IsEmpty());
  EXPECT_EQ(plan.mode, gpu_mode(1));
  EXPECT_EQ(plan.margin_ms, 5);
}

TEST(PlanMeanwhile, RestsOnWhatIsMeasuredInTheMode) {
  auto scene = gpu_scene("exhaustive", 2, {{2, {4, 4}}});
  scene.add(2, inference_to_plan(20, 200, {1})).live = true;
  scene.know(2, {kInference, gpu_mode(1), 1});
  scene.know(2, {kInference, gpu_mode(2), 1});
  const auto plan = plan_meanwhile(scene.jobs, gpu_mode(2), 0);
  ASSERT_EQ(plan.inference.size(), 1u);
  ASSERT_EQ(plan.inference[0].step_times.size(), 1u);
  EXPECT_EQ(plan.inference[0].step_times[0].p99_ms, 4);
}

TEST(PlanMeanwhile, RestsOnBoundsWhereNothingIsMeasured) {
  auto scene = gpu_scene("exhaustive", 4, {{2, {4, 4}}});
  scene.add(2, inference_to_plan(20, 400, {1, 4})).live = true;
  scene.know(2, {kInference, gpu_mode(4), 1});
  const auto plan = plan_meanwhile(scene.jobs, gpu_mode(1), 0);
  ASSERT_EQ(plan.inference.size(), 1u);
  const auto& times = plan.inference[0].step_times;
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].p99_ms, 8) << "a quarter of the clock";
  EXPECT_EQ(times[1].p99_ms, 32) << "and four times the batch";
}

TEST(PlanMeanwhile, LeavesOutBatchesThatTakeLongerToCollectThanTheyMayTake) {
  auto scene = gpu_scene("exhaustive", 2, {{2, {4, 4}}});
  scene.add(2, inference_to_plan(20, 200, {1, 4})).live = true;
  scene.know(2, {kInference, gpu_mode(1), 1});
  scene.know(2, {kInference, gpu_mode(1), 4});
  EXPECT_EQ(plan_meanwhile(scene.jobs, gpu_mode(1), 0).inference[0].step_times.size(), 1u)
      << "4 requests come in 200 ms";
}

// ---- probes beside it ----

TEST(PlanningLive, EveryProbeComesWithThePlanForItsMode) {
  auto scene = live_scene("exhaustive", 4, {{1, {30}}, {2, {4, 4}}}, inference_to_plan(20, 400, {1, 4}));
  scene.search([](const TakeProbe& probe) {
    EXPECT_EQ(probe.meanwhile.mode, probe.measure.mode);
    EXPECT_THAT(jobs_of(probe.meanwhile.inference), ElementsAre(2));
  });
  EXPECT_THAT(measures_of(scene, 1), testing::SizeIs(4));
}

TEST(PlanningLive, InferenceIsMeasuredInAModeBeforeTrainingBesideIt) {
  auto scene = live_scene("gmd", 4, {{1, {30}}, {2, {4, 4}}}, inference_to_plan(20, 400, {1, 4}));
  scene.jobs.at(2).profiles = {};
  scene.know(2, {kInference, gpu_mode(4), 1});
  scene.search([&](const TakeProbe& probe) {
    if (probe.measure.task != kTraining) return;
    EXPECT_NE(scene.jobs.at(2).profiles.covering(kInference, probe.measure.mode, 1), nullptr);
  });
  EXPECT_THAT(measures_of(scene, 1), Each(Field(&Measure::task, kTraining)));
}

TEST(PlanningLive, ASecondInferenceJobIsMeasuredAsWellBeforeTrainingBesideIt) {
  auto scene =
      live_scene("gmd", 4, {{1, {30}}, {2, {4, 4}}, {3, {2, 2}}}, inference_to_plan(20, 400, {1, 4}));
  scene.add(3, inference_to_plan(10, 400, {1})).live = true;
  scene.know(3, {kInference, gpu_mode(4), 1});
  scene.search([&](const TakeProbe& probe) {
    if (probe.measure.task != kTraining) return;
    EXPECT_NE(scene.jobs.at(3).profiles.find(kInference, probe.measure.mode, 1), nullptr);
  });
}

TEST(PlanningLive, AlsoBeforeASecondTrainingJob) {
  auto scene = gpu_scene("exhaustive", 2, {{1, {30}}, {2, {20}}, {3, {4, 4}}, {4, {2, 2}}});
  scene.power_budget_w = 15;
  scene.add(1, training_to_plan());
  scene.add(2, training_to_plan());
  scene.add(3, inference_to_plan(20, 400, {1}));
  scene.add(4, inference_to_plan(10, 400, {1}));
  for (const std::int64_t level : {1, 2}) {
    scene.know(1, {kTraining, gpu_mode(level), 16});
    scene.know(3, {kInference, gpu_mode(level), 1});
  }
  scene.know(4, {kInference, gpu_mode(2), 1});  // where all of them ran under another budget
  scene.jobs.at(3).live = true;
  scene.jobs.at(4).live = true;
  const auto settled = scene.search();
  ASSERT_EQ(settled.plan.mode, gpu_mode(1));
  ASSERT_EQ(scene.probes.size(), 2u);
  EXPECT_EQ(scene.probes[0].job, 4);
  EXPECT_EQ(scene.probes[1].job, 2);
}

// At level 1 a step takes 60 ms: with 50 ms to collect a request that is more than 100.
TEST(PlanningLive, AModeThatBreaksAKeptBudgetIsNotEntered) {
  auto scene = live_scene("exhaustive", 4, {{1, {30}}, {2, {60}}}, inference_to_plan(20, 100, {1}));
  ASSERT_TRUE(scene.jobs.at(2).kept);
  const auto settled = scene.search();
  EXPECT_THAT(scene.probes, Each(Field(&TakeProbe::measure, Field(&Measure::mode, Ne(gpu_mode(1))))));
  EXPECT_THAT(scene.probes, testing::SizeIs(3)) << "the search goes on in the others";
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1));
}

TEST(PlanningLive, ABudgetThatIsMissedInAnyCaseHindersNoProbe) {
  auto scene = live_scene("exhaustive", 4, {{1, {30}}, {2, {60}}}, inference_to_plan(20, 55, {1}));
  ASSERT_FALSE(scene.jobs.at(2).kept);
  scene.search();
  EXPECT_THAT(measures_of(scene, 1), testing::SizeIs(4));
}

// At level 1 a training step takes 400 ms; of the budget of 300 ms a step of 10 ms leaves less.
TEST(PlanningLive, AStepThatDoesNotFitIntoTheGapIsNotProbed) {
  auto scene = live_scene("exhaustive", 4, {{1, {400}}, {2, {10}}}, inference_to_plan(20, 300, {1}));
  scene.know(1, {kTraining, gpu_mode(4), 16});
  scene.search();
  EXPECT_THAT(measures_of(scene, 1),
              ElementsAre(Field(&Measure::mode, gpu_mode(2)), Field(&Measure::mode, gpu_mode(3))));
}

// Jobs 2 and 3 ran at level 2, and the power budget has become smaller: at level 1 job 3 misses its own by 35
// ms.
PlanningScene scene_with_less_power() {
  auto scene = gpu_scene("exhaustive", 2, {{2, {4}}, {3, {30}}});
  scene.power_budget_w = 15;
  scene.add(2, inference_to_plan(20, 400, {1})).live = true;
  scene.add(3, inference_to_plan(20, 75, {1})).live = true;
  scene.know(2, {kInference, gpu_mode(1), 1});
  scene.know(2, {kInference, gpu_mode(2), 1});
  scene.know(3, {kInference, gpu_mode(2), 1});
  return scene;
}

TEST(PlanningLive, NobodyIsDroppedBecauseAProbeWouldBreakItsBudget) {
  auto scene = scene_with_less_power();
  const auto plan = scene.search().plan;
  EXPECT_EQ(plan.mode, gpu_mode(1));
  ASSERT_THAT(jobs_of(plan.inference), ElementsAre(2, 3));
  EXPECT_NE(plan.inference[1].warning, "");
  EXPECT_THAT(plan.notes, ElementsAre("'camera3' is served by an estimate of its steps"));
}

TEST(PlanningLive, WhatIsServedByAnEstimateIsMeasuredNext) {
  auto scene = scene_with_less_power();
  scene.serve(scene.search().plan);
  const auto plan = scene.search().plan;
  EXPECT_THAT(measures_of(scene, 3), ElementsAre(Field(&Measure::mode, gpu_mode(1))));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("a power budget of 20.0 W would do")));
}

TEST(PlanningLive, ToGetInsideThePowerBudgetAProbeMayBreakALatencyBudget) {
  auto scene = gpu_scene("exhaustive", 2, {{3, {30}}});
  scene.power_budget_w = 15;
  scene.add(3, inference_to_plan(20, 75, {1})).live = true;
  scene.know(3, {kInference, gpu_mode(2), 1});
  const auto plan = scene.search().plan;
  EXPECT_THAT(measures_of(scene, 3), ElementsAre(Field(&Measure::mode, gpu_mode(1))));
  EXPECT_EQ(plan.mode, gpu_mode(1));
}

// Two live jobs, whose batches may both come before a request is answered.
TEST(PlanningLive, ABatchOfEachIsPartOfTheGap) {
  auto scene =
      live_scene("exhaustive", 4, {{1, {400}}, {2, {10}}, {3, {200}}}, inference_to_plan(20, 300, {1}));
  scene.add(3, inference_to_plan(1, 2000, {1})).live = true;
  for (const std::int64_t level : {1, 2, 3, 4})
    scene.know(3, {kInference, gpu_mode(level), 1});
  scene.know(1, {kTraining, gpu_mode(4), 16});
  scene.search();
  EXPECT_THAT(measures_of(scene, 1), ElementsAre(Field(&Measure::mode, gpu_mode(3))))
      << "at level 2: 300 - 5 - 100 < 200 ms";
}

TEST(PlanningLive, TheMarginIsPartOfTheGap) {
  auto scene = live_scene("exhaustive", 4, {{1, {400}}, {2, {10}}}, inference_to_plan(20, 300, {1}));
  scene.know(1, {kTraining, gpu_mode(4), 16});
  scene.margin_ms = 96;  // 300 - 96 - 5 < 200 ms at level 2
  scene.search();
  EXPECT_THAT(measures_of(scene, 1), ElementsAre(Field(&Measure::mode, gpu_mode(3))));
}

// Level 2 is the middle, where the search would begin, and only level 3 keeps the budget.
TEST(PlanningLive, TrainingIsFirstTriedWhereRequestsAreAnsweredInTime) {
  auto scene = live_scene("gmd", 3, {{1, {20}}, {2, {24}}}, inference_to_plan(10, 110, {1}));
  const auto settled = scene.search();
  ASSERT_THAT(measures_of(scene, 1), testing::SizeIs(1));
  EXPECT_EQ(measures_of(scene, 1)[0].mode, gpu_mode(3));
  EXPECT_THAT(jobs_of(settled.plan.training), ElementsAre(1));
}

TEST(PlanningLive, AJobThatHasNotBeenTriedIsMeasuredBesideAnotherThatIsServed) {
  auto scene = gpu_scene("gmd", 3, {{1, {4}}, {2, {24}}});
  scene.add(2, inference_to_plan(10, 110, {1}));
  scene.serve(scene.search().plan);
  scene.add(1, inference_to_plan(20, 200, {1}));  // older, and loaded later
  EXPECT_THAT(jobs_of(scene.search().plan.inference), ElementsAre(1, 2));
}

}  // namespace
}  // namespace fulcrum::daemon

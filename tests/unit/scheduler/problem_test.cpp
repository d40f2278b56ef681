#include "scheduler/problem.h"

#include <gtest/gtest.h>

#include <limits>

#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

Problem sound() {
  Problem problem;
  problem.kind = ProblemKind::concurrent;
  problem.grid = grid_of({1}, {1}, {1}, {1});
  problem.power_budget_w = 20;
  problem.latency_budget_ms = 100;
  problem.arrival_rate_hz = 60;
  problem.inference_batch_sizes = {1, 4};
  return problem;
}

std::string faulty_field(const Problem& problem) {
  const auto checked = check(problem);
  return checked ? "" : checked.error().field;
}

TEST(Problem, IsSoundWithAndWithoutAPowerBudget) {
  auto problem = sound();
  EXPECT_TRUE(check(problem));
  problem.power_budget_w.reset();
  EXPECT_TRUE(check(problem));
}

TEST(Problem, SurvivesItsJson) {
  auto problem = sound();
  problem.max_profiles = 7;
  problem.decide_with = TimeStatistic::p50;
  EXPECT_EQ(Problem::from_json(problem.to_json()).value().to_json(), problem.to_json());
  problem.power_budget_w.reset();
  problem.max_profiles.reset();
  EXPECT_EQ(Problem::from_json(problem.to_json()).value().to_json(), problem.to_json());
}

TEST(Problem, ItsJsonIsCheckedAsItselfIs) {
  for (const char* field : {"kind", "grid", "power_budget_w", "latency_budget_ms", "inference_batch_sizes",
                            "training_batch_size", "policy", "decide_with", "max_profiles"}) {
    auto json = sound().to_json();
    json[field] = -1;
    EXPECT_FALSE(Problem::from_json(json)) << field;
    json.erase(field);
    EXPECT_FALSE(Problem::from_json(json)) << field;
  }
}

TEST(ProfileSet, SurvivesItsJson) {
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add({WorkloadTask::training, {4, 1000, 100, 7}, 16, 1.5, 2.5, 12}));
  ASSERT_TRUE(profiles.add({WorkloadTask::inference, {4, 1000, 100, 7}, 4, 1.25, 2.25, 13}));
  const auto back = ProfileSet::from_json(profiles.to_json());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->to_json(), profiles.to_json());
}

TEST(ProfileSet, TakesNoMeasurementFromJsonThatIsNone) {
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add({WorkloadTask::training, {4, 1000, 100, 7}, 16, 1.5, 2.5, 12}));
  auto json = profiles.to_json();
  json[0]["p99_ms"] = 1;
  EXPECT_FALSE(ProfileSet::from_json(json)) << "p99 below p50";
}

TEST(Problem, NeedsModes) {
  auto problem = sound();
  problem.grid = ModeGrid();
  EXPECT_EQ(faulty_field(problem), "grid");
}

TEST(Problem, RefusesBudgetsAndRatesThatAreNotPositiveAndFinite) {
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto problem = sound();
    problem.power_budget_w = bad;
    EXPECT_EQ(faulty_field(problem), "power_budget_w");
    problem = sound();
    problem.latency_budget_ms = bad;
    EXPECT_EQ(faulty_field(problem), "latency_budget_ms");
    problem = sound();
    problem.arrival_rate_hz = bad;
    EXPECT_EQ(faulty_field(problem), "arrival_rate_hz");
  }
}

TEST(Problem, RefusesBatchSizesThatAreMissingNotPositiveOrNotAscending) {
  for (const auto& bad : std::vector<std::vector<int>>{{}, {0, 1}, {4, 1}, {4, 4}}) {
    auto problem = sound();
    problem.inference_batch_sizes = bad;
    EXPECT_EQ(faulty_field(problem), "inference_batch_sizes");
  }
}

TEST(Problem, RefusesALimitThatAllowsNoProfile) {
  auto problem = sound();
  problem.max_profiles = 0;
  EXPECT_EQ(faulty_field(problem), "max_profiles");
}

TEST(Problem, OfTrainingAloneNeedsNothingOfInference) {
  auto problem = sound();
  problem.kind = ProblemKind::train;
  problem.latency_budget_ms = problem.arrival_rate_hz = 0;
  problem.inference_batch_sizes.clear();
  EXPECT_TRUE(check(problem));
  problem.training_batch_size = 0;
  EXPECT_EQ(faulty_field(problem), "training_batch_size");
}

TEST(ProfileSet, FindsWhatWasAddedAndNothingElse) {
  ProfileSet set;
  const PowerMode mode{4, 1, 2, 3};
  ASSERT_TRUE(set.add({WorkloadTask::inference, mode, 4, 5, 6, 20}));
  ASSERT_NE(set.find(WorkloadTask::inference, mode, 4), nullptr);
  EXPECT_EQ(set.find(WorkloadTask::inference, mode, 4)->p99_ms, 6);
  EXPECT_EQ(set.find(WorkloadTask::training, mode, 4), nullptr);
  EXPECT_EQ(set.find(WorkloadTask::inference, mode, 1), nullptr);
  EXPECT_EQ(set.find(WorkloadTask::inference, {8, 1, 2, 3}, 4), nullptr);
}

TEST(ProfileSet, ReplacesAnEarlierProfile) {
  ProfileSet set;
  ASSERT_TRUE(set.add({WorkloadTask::training, {4, 1, 2, 3}, 16, 5, 6, 20}));
  ASSERT_TRUE(set.add({WorkloadTask::training, {4, 1, 2, 3}, 16, 7, 8, 21}));
  EXPECT_EQ(set.size(), 1U);
  EXPECT_EQ(set.begin()->second.p50_ms, 7);
}

TEST(ProfileSet, RefusesWhatIsNoMeasurement) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ProfileSet set;
  EXPECT_FALSE(set.add({WorkloadTask::training, {}, 0, 5, 6, 20}));
  EXPECT_FALSE(set.add({WorkloadTask::training, {}, 16, 0, 6, 20}));
  EXPECT_FALSE(set.add({WorkloadTask::training, {}, 16, 6, 5, 20}));
  EXPECT_FALSE(set.add({WorkloadTask::training, {}, 16, 5, nan, 20}));
  EXPECT_FALSE(set.add({WorkloadTask::training, {}, 16, 5, 6, 0}));
  EXPECT_EQ(set.size(), 0U);
}

}  // namespace
}  // namespace fulcrum::scheduler

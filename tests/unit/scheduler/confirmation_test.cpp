#include "scheduler/confirmation.h"

#include <gtest/gtest.h>

#include "made_up_board.h"
#include "scheduler/candidate.h"

namespace fulcrum::scheduler {
namespace {

const PowerMode kSlow{1, 1, 1, 1};
const PowerMode kFast{1, 2, 1, 1};

Problem problem(double power_w, MeasurementNoise noise = {.03, .02}) {
  Problem p;
  p.grid = grid_of({1}, {1, 2}, {1}, {1});
  p.power_budget_w = power_w;
  p.decide_with = TimeStatistic::p50;
  p.noise = noise;
  return p;
}

Profile profile(const PowerMode& mode, double ms, double power_w, int measurements) {
  return {WorkloadTask::training, mode, 16, ms, ms, power_w, measurements};
}

ProfileSet set_of(std::initializer_list<Profile> profiles) {
  ProfileSet set;
  for (const auto& p : profiles)
    EXPECT_TRUE(set.add(p));
  return set;
}

TEST(Confirmation, IsNotAskedForWithoutNoise) {
  EXPECT_FALSE(next_confirmation(problem(30, {}), set_of({profile(kFast, 10, 29.9, 1)})));
}

TEST(Confirmation, OfTheAnswerTakesTwoMeasurements) {
  const auto asked =
      next_confirmation(problem(30), set_of({profile(kFast, 10, 25, 1), profile(kSlow, 20, 20, 1)}));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->mode, kFast);
  EXPECT_FALSE(
      next_confirmation(problem(30), set_of({profile(kFast, 10, 25, 2), profile(kSlow, 20, 20, 1)})));
}

TEST(Confirmation, AtTheEdgeOfABudgetTakesMore) {
  for (int measurements = 1; measurements < 6; ++measurements) {
    EXPECT_TRUE(next_confirmation(problem(30), set_of({profile(kFast, 10, 29.95, measurements)})))
        << measurements;
  }
  EXPECT_FALSE(next_confirmation(problem(30), set_of({profile(kFast, 10, 29.95, 6)})));
}

TEST(Confirmation, OfOneThatIsDeniedGoesOnToTheNextBest) {
  const auto asked =
      next_confirmation(problem(30), set_of({profile(kFast, 10, 29.95, 6), profile(kSlow, 20, 20, 1)}));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->mode, kSlow);
  const auto outcome = choose(problem(30), set_of({profile(kFast, 10, 29.95, 6), profile(kSlow, 20, 20, 2)}));
  EXPECT_EQ(std::get<Choice>(outcome).mode, kSlow);
}

TEST(Confirmation, AnUnluckySecondMeasurementChangesTheAnswer) {
  auto known = set_of({profile(kFast, 10, 29, 1), profile(kSlow, 20, 20, 2)});
  EXPECT_TRUE(next_confirmation(problem(30), known));
  ASSERT_TRUE(known.pool(profile(kFast, 10, 32, 1)));
  EXPECT_FALSE(next_confirmation(problem(30), known)) << "30.5 W on average is over the budget";
  EXPECT_EQ(std::get<Choice>(choose(problem(30), known)).mode, kSlow);
}

TEST(Guard, FollowsFromTheNoiseAndTheNumberOfMeasurements) {
  EXPECT_DOUBLE_EQ(with_guard(30, 0, 1), 30);
  EXPECT_DOUBLE_EQ(with_guard(30, .02, 1), 30 * 1.03);
  EXPECT_DOUBLE_EQ(with_guard(30, .02, 4), 30 * 1.01);
  EXPECT_DOUBLE_EQ(with_guard(30, .02, 100), 30) << "inside the tolerance";
}

TEST(Pool, IsTheMeanByMeasurements) {
  auto known = set_of({profile(kFast, 10, 30, 2)});
  ASSERT_TRUE(known.pool(profile(kFast, 13, 27, 1)));
  const auto* pooled = known.find(WorkloadTask::training, kFast, 16);
  EXPECT_EQ(pooled->measurements, 3);
  EXPECT_DOUBLE_EQ(pooled->p50_ms, 11);
  EXPECT_DOUBLE_EQ(pooled->power_w, 29);
}

}  // namespace
}  // namespace fulcrum::scheduler

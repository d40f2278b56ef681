#include "eval/policy_gain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fulcrum::eval {
namespace {

using ::testing::HasSubstr;

Result result(const std::string& policy, double power_w, std::optional<double> answer_hz, double optimum_hz) {
  Result r;
  r.scenario = "concurrent";
  r.policy = policy;
  r.train_workload = "net";
  r.infer_workload = "cam";
  r.power_budget_w = power_w;
  r.strategy = "rgs";
  r.optimal_value = optimum_hz;
  r.status = answer_hz ? Status::solved : Status::missed;
  if (answer_hz) r.answer = Answered{{}, 1, 0, *answer_hz, 0, 0};
  return r;
}

TEST(PolicyGain, ComparesTheOptimaAndTheAnswersOfTheSameProblems) {
  const auto gains = policy_gains({result("managed", 20, 8, 10), result("managed", 30, 10, 10),
                                   result("slack", 20, 16, 20), result("slack", 30, 45, 45)});
  ASSERT_EQ(gains.size(), 2U);
  EXPECT_EQ(gains[0].of, "optimum");
  EXPECT_EQ(gains[0].problems, 2U);
  EXPECT_NEAR(gains[0].geometric_mean, 3, 1e-12);  // of 2 and 4.5
  EXPECT_NEAR(gains[0].least, 2, 1e-12);
  EXPECT_EQ(gains[1].of, "rgs");
  EXPECT_NEAR(gains[1].geometric_mean, 3, 1e-12);
}

TEST(PolicyGain, LeavesOutWhatManagedDoesNotSolve) {
  const auto gains = policy_gains({result("managed", 20, std::nullopt, 0), result("managed", 30, 10, 10),
                                   result("slack", 20, 5, 5), result("slack", 30, std::nullopt, 12)});
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(gains[0].of, "optimum");
  EXPECT_EQ(gains[0].problems, 1U);
}

TEST(PolicyGain, SaysNothingOfOnePolicyAlone) {
  const auto gains = policy_gains({result("slack", 20, 5, 5)});
  EXPECT_TRUE(gains.empty());
  EXPECT_EQ(render(gains), "");
}

TEST(PolicyGain, IsShownAndHasJson) {
  const auto gains = policy_gains({result("managed", 20, 10, 10), result("slack", 20, 15, 15)});
  EXPECT_THAT(render(gains), HasSubstr("1.500x"));
  EXPECT_EQ(gains.front().to_json().at("least"), 1.5);
}

}  // namespace
}  // namespace fulcrum::eval

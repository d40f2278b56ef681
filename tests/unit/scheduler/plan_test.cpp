#include "scheduler/plan.h"

#include <gtest/gtest.h>

namespace fulcrum::scheduler {
namespace {

Plan example() {
  Plan plan;
  plan.mode = PowerMode{8, 1728000, 612000000, 3199000000};
  plan.mode_name = "MODE_30W";
  plan.inference.push_back({1, "camera", 4, 60, 66.7, 100, 70.7, {{1, 1, 2}, {4, 3, 4}}, ""});
  plan.training.push_back({2, "fashion", {16, 7, 8}, "starved"});
  plan.margin_ms = 5;
  plan.window_ms = 66.7;
  plan.training_per_window = 7;
  plan.expected_train_minibatches_per_s = 105;
  return plan;
}

TEST(Plan, SurvivesJson) {
  const auto json = example().to_json();
  const auto back = Plan::from_json(json);
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(back->to_json(), json);
}

TEST(Plan, SurvivesJsonWithoutModeAndWindow) {
  const auto json = Plan{}.to_json();
  const auto back = Plan::from_json(json);
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(back->to_json(), json);
}

TEST(Plan, RefusesJsonThatIsNone) {
  EXPECT_FALSE(Plan::from_json(Json::object()));
  auto json = example().to_json();
  json["inference"][0]["step_times"] = Json::array();
  EXPECT_FALSE(Plan::from_json(json));
}

TEST(StepTimeFor, IsABoundFromAbove) {
  const std::vector<StepTime> times{{1, 1, 2}, {4, 3, 4}, {16, 9, 10}};
  EXPECT_EQ(step_time_for(times, 1).batch_size, 1);
  EXPECT_EQ(step_time_for(times, 3).batch_size, 4);
  EXPECT_EQ(step_time_for(times, 64).batch_size, 16);
}

}  // namespace
}  // namespace fulcrum::scheduler

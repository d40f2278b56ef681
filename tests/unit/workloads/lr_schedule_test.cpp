#include "workloads/lr_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fulcrum::workloads {
namespace {

constexpr std::uint64_t kStepsPerEpoch = 10;

ScheduleSpec named(const std::string& name) {
  ScheduleSpec schedule;
  schedule.name = name;
  return schedule;
}

TEST(LearningRate, StaysWhereItIs) {
  EXPECT_EQ(lr_factor({}, 0, kStepsPerEpoch), 1);
  EXPECT_EQ(lr_factor({}, 1000000, kStepsPerEpoch), 1);
}

TEST(LearningRate, StepsDownAfterEpochs) {
  auto schedule = named("step");
  schedule.every_epochs = 2;
  schedule.gamma = 0.5;
  EXPECT_EQ(lr_factor(schedule, 0, kStepsPerEpoch), 1);
  EXPECT_EQ(lr_factor(schedule, 19, kStepsPerEpoch), 1);
  EXPECT_EQ(lr_factor(schedule, 20, kStepsPerEpoch), 0.5);
  EXPECT_EQ(lr_factor(schedule, 40, kStepsPerEpoch), 0.25);
}

TEST(LearningRate, FollowsACosine) {
  auto schedule = named("cosine");
  schedule.over_epochs = 4;
  schedule.min_factor = 0.2;
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 0, kStepsPerEpoch), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 20, kStepsPerEpoch), 0.6);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 10, kStepsPerEpoch), 0.2 + 0.8 * (1 + std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 40, kStepsPerEpoch), 0.2) << "and stays there in a longer job";
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 400, kStepsPerEpoch), 0.2);
}

TEST(LearningRate, WarmsUpLinearlyToItsFull) {
  auto schedule = named("cosine");
  schedule.over_epochs = 2;
  schedule.warmup_steps = 4;
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 0, kStepsPerEpoch), 0.25);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 3, kStepsPerEpoch), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 4, kStepsPerEpoch), 1) << "where the cosine begins";
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 12, kStepsPerEpoch), 0.5);
}

TEST(LearningRate, AWarmupLongerThanTheCosineLeavesNone) {
  auto schedule = named("cosine");
  schedule.over_epochs = 1;
  schedule.warmup_steps = 20;
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 19, kStepsPerEpoch), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 20, kStepsPerEpoch), 0);
}

}  // namespace
}  // namespace fulcrum::workloads

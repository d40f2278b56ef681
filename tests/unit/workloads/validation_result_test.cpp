#include "workloads/validation_result.h"

#include <gtest/gtest.h>

#include <limits>

namespace fulcrum::workloads {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<ValidationResult> losses(const std::vector<double>& values) {
  std::vector<ValidationResult> results;
  results.reserve(values.size());
  for (const double loss : values)
    results.push_back({static_cast<int>(results.size()) + 1, 0.5, loss});
  return results;
}

TEST(EarlyStopping, WaitsForPatienceValidationsThatAreNoBetter) {
  const EarlyStoppingSpec spec{2, "loss", 0};
  EXPECT_FALSE(stops_early(spec, losses({})));
  EXPECT_FALSE(stops_early(spec, losses({1, 0.9, 0.95})));
  EXPECT_TRUE(stops_early(spec, losses({1, 0.9, 0.95, 0.9})));
  EXPECT_FALSE(stops_early(spec, losses({1, 0.9, 0.95, 0.89, 0.9})));
}

TEST(EarlyStopping, SmallGainsDoNotCount) {
  const EarlyStoppingSpec spec{2, "loss", 0.1};
  EXPECT_TRUE(stops_early(spec, losses({1, 0.95, 0.91})));
  EXPECT_FALSE(stops_early(spec, losses({1, 0.95, 0.85}))) << "counted from the best, not from the last";
}

TEST(EarlyStopping, OfAccuracyMoreIsBetter) {
  const EarlyStoppingSpec spec{1, "accuracy", 0};
  EXPECT_FALSE(stops_early(spec, {{1, 0.5, 1}, {2, 0.6, 2}}));
  EXPECT_TRUE(stops_early(spec, {{1, 0.6, 2}, {2, 0.5, 1}}));
}

TEST(EarlyStopping, WhatIsNoNumberIsNoBetterThanAnything) {
  const EarlyStoppingSpec spec{2, "loss", 0};
  EXPECT_TRUE(stops_early(spec, losses({1, kNone, kNone})));
  EXPECT_FALSE(stops_early(spec, losses({kNone, kNone, 1}))) << "and anything is better than it";
}

}  // namespace
}  // namespace fulcrum::workloads

#include "daemon/latency_watch.h"

#include <gtest/gtest.h>

namespace fulcrum::daemon {
namespace {

Json progress(std::uint64_t served, double inside) {
  return {{"served", served}, {"inside_budget", inside / static_cast<double>(served)}};
}

TEST(LatencyWatch, TellsOfTheLatestRequestsAlone) {
  LatencyWatch watch;
  EXPECT_FALSE(watch.add(progress(1000, 1000)));
  const auto window = watch.add(progress(1400, 1300));
  ASSERT_TRUE(window);
  EXPECT_EQ(window->requests, 400U);
  EXPECT_NEAR(window->inside, 0.75, 1e-9);
}

TEST(LatencyWatch, AFewRequestsSayNothing) {
  LatencyWatch watch;
  watch.add(progress(1000, 1000));
  EXPECT_FALSE(watch.add(progress(1100, 1000)));
  EXPECT_FALSE(watch.last());
}

TEST(LatencyWatch, AJobThatBeganAnewIsCountedAnew) {
  LatencyWatch watch;
  watch.add(progress(1000, 1000));
  EXPECT_FALSE(watch.add(progress(10, 10)));
  EXPECT_NEAR(watch.add(progress(510, 510))->inside, 1, 1e-9);
}

TEST(LatencyWatch, WhatIsNoProgressOfInferenceIsPassedOver) {
  LatencyWatch watch;
  for (const auto& odd : {Json::object(), Json{{"served", "many"}, {"inside_budget", 1}}, Json{{"served", 5}},
                          Json{{"served", -5}, {"inside_budget", 1}}}) {
    EXPECT_FALSE(watch.add(odd));
  }
}

}  // namespace
}  // namespace fulcrum::daemon

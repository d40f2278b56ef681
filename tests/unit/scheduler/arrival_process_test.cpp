#include "scheduler/arrival_process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fulcrum::scheduler {
namespace {

TEST(ArrivalProcess, PeriodicArrivalsDoNotDrift) {
  auto arrivals = *ArrivalProcess::make("periodic", 3, 1);
  Duration last{};
  for (int i = 0; i < 3'000'000; ++i)
    last = arrivals.next();
  EXPECT_EQ(last, std::chrono::seconds(1'000'000));
}

TEST(ArrivalProcess, PoissonArrivalsHaveTheRateAndTheSpread) {
  auto arrivals = *ArrivalProcess::make("poisson", 60, 7);
  constexpr int kCount = 100'000;
  double sum = 0;
  double squares = 0;
  Duration previous{};
  for (int i = 0; i < kCount; ++i) {
    const auto offset = arrivals.next();
    ASSERT_GE(offset, previous);
    const double interval = to_s(offset - previous);
    sum += interval;
    squares += interval * interval;
    previous = offset;
  }
  const double mean = sum / kCount;
  const double deviation = std::sqrt(squares / kCount - mean * mean);
  EXPECT_NEAR(mean * 60, 1, 0.02);
  EXPECT_NEAR(deviation / mean, 1, 0.02) << "exponential intervals deviate as much as their mean";
}

TEST(ArrivalProcess, TheSameSeedGivesTheSameArrivals) {
  auto a = *ArrivalProcess::make("poisson", 60, 5);
  auto b = *ArrivalProcess::make("poisson", 60, 5);
  auto c = *ArrivalProcess::make("poisson", 60, 6);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(ArrivalProcess, SkippingIsTakingWithoutLooking) {
  for (const auto& kind : ArrivalProcess::kinds()) {
    auto whole = *ArrivalProcess::make(kind, 60, 5);
    auto skipped = *ArrivalProcess::make(kind, 60, 5);
    for (int i = 0; i < 100; ++i)
      whole.next();
    skipped.skip(100);
    EXPECT_EQ(whole.next(), skipped.next()) << kind;
  }
}

TEST(ArrivalProcess, RefusesWhatIsNoProcess) {
  EXPECT_EQ(ArrivalProcess::make("poison", 60, 1).error().hint, "did you mean 'poisson'?");
  EXPECT_FALSE(ArrivalProcess::make("poisson", 0, 1));
  EXPECT_FALSE(ArrivalProcess::make("poisson", -1, 1));
  EXPECT_FALSE(ArrivalProcess::make("poisson", std::nan(""), 1));
  EXPECT_FALSE(ArrivalProcess::make("poisson", std::numeric_limits<double>::infinity(), 1));
}

}  // namespace
}  // namespace fulcrum::scheduler

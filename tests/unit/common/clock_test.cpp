#include "common/clock.h"

#include <gtest/gtest.h>

namespace fulcrum {
namespace {

TEST(ManualClock, StandsStillUntilAdvanced) {
  ManualClock clock;
  const auto before = clock.now();
  EXPECT_EQ(clock.now(), before);
  clock.advance(from_ms(1.5));
  EXPECT_DOUBLE_EQ(to_ms(clock.now() - before), 1.5);
}

TEST(SystemClock, NeverGoesBack) {
  const SystemClock clock;
  const auto before = clock.now();
  EXPECT_GE(clock.now(), before);
}

TEST(Clock, NanosecondsSurviveTheRoundTrip) {
  const auto t = SystemClock().now();
  EXPECT_EQ(from_ns(to_ns(t)), t);
}

}  // namespace
}  // namespace fulcrum

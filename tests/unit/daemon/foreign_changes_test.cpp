#include "daemon/foreign_changes.h"

#include <gtest/gtest.h>

namespace fulcrum::daemon {
namespace {

using namespace std::chrono_literals;

TEST(ForeignChanges, AreSetBackSoManyTimesAMinute) {
  ForeignChanges changes;
  auto now = from_ns(1'000'000'000);
  for (std::size_t i = 0; i < ForeignChanges::kMostReassertions; ++i, now += 1s) {
    EXPECT_TRUE(changes.may_reassert(now));
    EXPECT_EQ(changes.is_first(), i == 0);
    EXPECT_FALSE(changes.suspended(now));
  }
  EXPECT_FALSE(changes.may_reassert(now));
  EXPECT_TRUE(changes.suspended(now));
  EXPECT_FALSE(changes.suspended(now + ForeignChanges::kSuspension));
  EXPECT_TRUE(changes.may_reassert(now + ForeignChanges::kSuspension)) << "it begins anew";
}

TEST(ForeignChanges, ThatComeNowAndThenAreAlwaysSetBack) {
  ForeignChanges changes;
  auto now = from_ns(1'000'000'000);
  for (int i = 0; i < 100; ++i, now += 15s)
    EXPECT_TRUE(changes.may_reassert(now));
}

}  // namespace
}  // namespace fulcrum::daemon

#include "workloads/shuffle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace fulcrum::workloads {
namespace {

RC_GTEST_PROP(Shuffle, IsAPermutation, (std::uint64_t seed, std::uint64_t epoch)) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 300);
  auto order = shuffled(size, seed, epoch);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> all(size);
  std::iota(all.begin(), all.end(), std::size_t{0});
  RC_ASSERT(order == all);
}

TEST(Shuffle, IsTheSameAgain) {
  EXPECT_EQ(shuffled(100, 7, 3), shuffled(100, 7, 3));
}

TEST(Shuffle, DiffersBetweenEpochsAndSeeds) {
  EXPECT_NE(shuffled(100, 7, 3), shuffled(100, 7, 4));
  EXPECT_NE(shuffled(100, 7, 3), shuffled(100, 8, 3));
  EXPECT_NE(shuffled(100, 1, std::uint64_t{1} << 32), shuffled(100, 1, 0));
}

// Checkpoints outlive the program: a new build must go on with the order that the old one began.
TEST(Shuffle, NeverChanges) {
  EXPECT_EQ(shuffled(8, 1, 0), (std::vector<std::size_t>{7, 6, 0, 5, 2, 3, 1, 4}));
}

TEST(Shuffle, GivesEachOrderEquallyOften) {
  std::map<std::vector<std::size_t>, int> counts;
  for (std::uint64_t epoch = 0; epoch < 6000; ++epoch)
    ++counts[shuffled(3, 1, epoch)];
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts)
    EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace fulcrum::workloads

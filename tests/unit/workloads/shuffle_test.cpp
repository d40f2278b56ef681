#include "workloads/shuffle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

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

TEST(ShuffleInShards, KeepsNeighboursTogether) {
  const auto order = shuffled(25, 3, 1, 10);
  std::vector<std::size_t> shards;
  for (std::size_t at = 0; at < order.size();) {
    const std::size_t shard = order[at] / 10;
    const std::size_t count = shard == 2 ? 5 : 10;
    std::vector<std::size_t> stretch(order.begin() + static_cast<std::ptrdiff_t>(at),
                                     order.begin() + static_cast<std::ptrdiff_t>(at + count));
    std::sort(stretch.begin(), stretch.end());
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(stretch[i], shard * 10 + i);
    shards.push_back(shard);
    at += count;
  }
  std::sort(shards.begin(), shards.end());
  EXPECT_EQ(shards, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(ShuffleInShards, ShufflesShardsAndWhatIsInThem) {
  std::set<std::size_t> first_shards;
  std::set<std::size_t> first_samples;
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    const auto order = shuffled(30, 3, epoch, 10);
    first_shards.insert(order.front() / 10);
    first_samples.insert(order.front() % 10);
  }
  EXPECT_EQ(first_shards.size(), 3U);
  EXPECT_GT(first_samples.size(), 5U);
  EXPECT_EQ(shuffled(30, 3, 7, 10), shuffled(30, 3, 7, 10));
}

TEST(ShuffleInShards, OneShardIsTheWhole) {
  EXPECT_EQ(shuffled(30, 3, 7, 30), shuffled(30, 3, 7));
  EXPECT_EQ(shuffled(30, 3, 7, 1000), shuffled(30, 3, 7));
}

}  // namespace
}  // namespace fulcrum::workloads

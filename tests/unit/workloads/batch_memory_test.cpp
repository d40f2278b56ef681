#include "workloads/batch_memory.h"

#include <gtest/gtest.h>

namespace fulcrum::workloads {
namespace {

class Memory : public ::testing::Test {
 protected:
  int allocated_ = 0;
  BatchMemory memory_{[this](std::size_t bytes) {
    ++allocated_;
    return BatchMemory::from_heap(bytes);
  }};
};

TEST_F(Memory, GivesWhatCameBackAgain) {
  const auto* first = memory_.take(1000).get();
  EXPECT_EQ(memory_.take(1000).get(), first);
  EXPECT_EQ(memory_.take(900).get(), first);
  EXPECT_EQ(memory_.take(1000).get(), first);  // a smaller request does not make the block smaller
  EXPECT_EQ(allocated_, 1);
}

TEST_F(Memory, GivesNothingTwice) {
  const auto first = memory_.take(1000);
  const auto second = memory_.take(1000);
  EXPECT_NE(first.get(), second.get());
  EXPECT_EQ(allocated_, 2);
}

TEST_F(Memory, DoesNotSpendALargeBlockOnASmallRequest) {
  memory_.take(4000);
  const auto small = memory_.take(100);
  const auto large = memory_.take(4000);
  EXPECT_EQ(allocated_, 2);
}

TEST_F(Memory, KeepsAFewBlocksOnly) {
  std::vector<std::shared_ptr<std::byte>> held;
  held.reserve(20);
  for (int i = 0; i < 20; ++i)
    held.push_back(memory_.take(64));
  held.clear();
  for (int i = 0; i < 20; ++i)
    held.push_back(memory_.take(64));
  EXPECT_EQ(allocated_, 20 + 12);
}

TEST(MemoryOfABlock, MayOutliveItsSource) {
  std::shared_ptr<std::byte> block;
  {
    BatchMemory memory;
    block = memory.take(16);
  }
  block.get()[15] = std::byte{7};
  EXPECT_EQ(block.get()[15], std::byte{7});
}

}  // namespace
}  // namespace fulcrum::workloads

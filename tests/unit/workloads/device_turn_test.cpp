#include "workloads/device_turn.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

namespace fulcrum::workloads {
namespace {

at::Tensor draw(DeviceShare& share) {
  const DeviceTurn turn(share);
  return at::rand({8});
}

DeviceShare share_with(std::uint64_t seed) {
  return {c10::Device(c10::kCPU), 1, seed};
}

TEST(DeviceTurn, RandomNumbersDependOnTheSeedAlone) {
  auto first = share_with(3);
  auto second = share_with(3);
  auto other = share_with(4);
  EXPECT_TRUE(at::equal(draw(first), draw(second)));
  EXPECT_FALSE(at::equal(draw(first), draw(other)));
}

TEST(DeviceTurn, RandomNumbersGoOnUndisturbedByOthers) {
  auto alone = share_with(3);
  auto disturbed = share_with(3);
  auto other = share_with(4);
  for (int i = 0; i < 5; ++i) {
    const at::Tensor expected = draw(alone);
    draw(other);
    at::rand({100});  // outside of any turn
    EXPECT_TRUE(at::equal(draw(disturbed), expected));
  }
}

TEST(DeviceTurn, RandomStatesSurviveAsBytes) {
  auto share = share_with(3);
  draw(share);
  const auto saved = share.random_states();
  const at::Tensor expected = draw(share);
  auto resumed = share_with(99);
  resumed.restore(saved, 1);
  EXPECT_TRUE(at::equal(draw(resumed), expected));
}

TEST(DeviceTurn, RefusesRandomStatesThatAreNone) {
  auto share = share_with(3);
  EXPECT_THROW(share.restore({}, 1), std::exception);
  EXPECT_THROW(share.restore({"short"}, 1), std::exception);
}

TEST(DeviceTurn, SetsTheJobsIntraOpThreads) {
  DeviceShare one(c10::Device(c10::kCPU), 1, 1);
  DeviceShare two(c10::Device(c10::kCPU), 2, 1);
  for (auto* share : {&one, &two, &one}) {
    const DeviceTurn turn(*share);
    EXPECT_EQ(at::get_num_threads(), share->intra_op_threads());
  }
}

}  // namespace
}  // namespace fulcrum::workloads

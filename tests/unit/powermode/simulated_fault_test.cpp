#include "powermode/simulated_fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <future>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using test::SimulatedBoard;
namespace node = test::node;

std::string names_in(const SimulatedBoard& board, const std::string& directory) {
  const auto list = board.tree->list(directory);
  return list ? fmt::format("{}", fmt::join(*list, " ")) : list.error().to_string();
}

TEST(SimulatedFault, FailsWritesWithItsError) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::write_error, "EBUSY");
  EXPECT_EQ(board.tree->write(node::gpu_max, "318750000").error().code, ErrorCode::busy);
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
  EXPECT_TRUE(board.set(node::gpu_min, "318750000"));
}

TEST(SimulatedFault, IgnoresWritesSilently) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::ignore_write);
  EXPECT_TRUE(board.set(node::gpu_max, "318750000"));
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
}

TEST(SimulatedFault, FailsReadsWithItsError) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::read_error, "EAGAIN");
  EXPECT_EQ(board.tree->read(node::gpu_max).error().code, ErrorCode::unavailable);
}

TEST(SimulatedFault, FreezesWhatIsReadButNotWhatHappens) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::frozen);
  EXPECT_TRUE(board.set(node::gpu_max, "318750000"));
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
  ASSERT_TRUE(board.tree->clear_faults());
  EXPECT_EQ(board.get(node::gpu_max), "318750000");
}

TEST(SimulatedFault, HappensAsOftenAsItsCount) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::write_error, "EIO", 2);
  board.fault(node::gpu_min, Kind::read_error, "EIO", 1);
  EXPECT_FALSE(board.set(node::gpu_max, "318750000"));
  EXPECT_FALSE(board.set(node::gpu_max, "318750000"));
  EXPECT_TRUE(board.set(node::gpu_max, "318750000"));
  EXPECT_FALSE(board.tree->read(node::gpu_min));
  EXPECT_TRUE(board.tree->read(node::gpu_min));
  EXPECT_TRUE(board.tree->faults().value().empty());
}

TEST(SimulatedFault, MatchesPatterns) {
  SimulatedBoard board;
  board.fault("/sys/devices/system/cpu/cpufreq/*max*", Kind::write_error, "EACCES");
  EXPECT_FALSE(board.set(node::cluster_max(4), "960000"));
  EXPECT_FALSE(board.set(node::cpu_dir + "/cpu9/cpufreq/scaling_max_freq", "960000"));
  EXPECT_TRUE(board.set(node::cpu_min, "960000"));
}

TEST(SimulatedFault, BlocksReadsUntilItIsCleared) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::block);
  const auto other = board.open_tree();
  const auto deadline = SystemClock().now() + std::chrono::seconds(30);
  auto blocked = std::async(std::launch::async, [&] {
    return board.tree->sys_read(node::gpu_max, [&] { return SystemClock().now() > deadline; });
  });
  EXPECT_EQ(blocked.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  // Neither other nodes nor writes wait, in this tree or another.
  EXPECT_EQ(board.get(node::gpu_min), "114750000");
  EXPECT_TRUE(board.set(node::gpu_max, "318750000"));
  EXPECT_TRUE(board.tree->exists(node::gpu_max));
  ASSERT_TRUE(other->clear_faults());
  EXPECT_EQ(blocked.get()->value_or("given up"), "318750000\n");
}

TEST(SimulatedFault, ABlockedReadCanBeGivenUp) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::block);
  int asked = 0;
  const auto answer = board.tree->sys_read(node::gpu_max, [&asked] { return ++asked == 2; });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error(), EINTR);
}

TEST(SimulatedFault, TakesANodeAway) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::absent);
  EXPECT_EQ(board.tree->read(node::gpu_max).error().code, ErrorCode::not_found);
  EXPECT_EQ(board.tree->sys_write(node::gpu_max, "318750000")->error(), ENOENT);
  EXPECT_EQ(board.tree->sys_lstat(node::gpu_max)->error(), ENOENT);
  EXPECT_FALSE(board.tree->exists(node::gpu_max));
  EXPECT_FALSE(test::contains(names_in(board, node::gpu_dir), "max_freq"));
  ASSERT_TRUE(board.tree->clear_faults());
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
  EXPECT_TRUE(test::contains(names_in(board, node::gpu_dir), "max_freq"));
}

TEST(SimulatedFault, TakesADirectoryAwayWithAllThatIsInIt) {
  SimulatedBoard board;
  board.fault("/sys/class/therm?l", Kind::absent);
  EXPECT_EQ(names_in(board, "/sys/class"), "devfreq");
  EXPECT_FALSE(board.tree->exists("/sys/class/thermal/thermal_zone0/temp"));
  board.fault(node::cpu_dir + "/cpufreq/*", Kind::absent);
  EXPECT_FALSE(board.tree->exists(node::cpu_max));
  EXPECT_FALSE(board.tree->exists(node::cpu_dir + "/cpu0/cpufreq/scaling_max_freq"));
}

TEST(SimulatedFault, TakesALinkAwayButNotWhereItLeads) {
  SimulatedBoard board;
  board.fault("/sys/class/devfreq/17000000.ga10b", Kind::absent);
  EXPECT_FALSE(board.tree->exists("/sys/class/devfreq/17000000.ga10b/max_freq"));
  EXPECT_FALSE(board.tree->readlink("/sys/class/devfreq/17000000.ga10b"));
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
}

TEST(SimulatedFault, NothingElseHappensToWhatIsAbsent) {
  SimulatedBoard board;
  board.fault(node::gpu_max, Kind::read_error, "EIO", 1);
  board.fault(node::gpu_max, Kind::absent);
  EXPECT_EQ(board.tree->sys_read(node::gpu_max)->error(), ENOENT);
  EXPECT_EQ(board.tree->faults()->size(), 2U);
}

TEST(SimulatedFault, OnALinkIsOnTheNodeItLeadsTo) {
  SimulatedBoard board;
  board.fault("/sys/class/devfreq/17000000.ga10b/max_freq", Kind::write_error, "EACCES");
  EXPECT_FALSE(board.set(node::gpu_max, "318750000"));
}

TEST(SimulatedFault, IsSharedWithOtherTrees) {
  const SimulatedBoard board;
  const auto other = board.open_tree();
  board.fault(node::gpu_max, Kind::read_error, "ENODEV");
  EXPECT_EQ(other->read(node::gpu_max).error().code, ErrorCode::not_found);
}

TEST(SimulatedFault, IsCheckedWhenAdded) {
  const SimulatedBoard board;
  const auto message = [&](SimulatedFault fault) {
    const auto added = board.tree->add_fault(std::move(fault));
    return added ? std::string("accepted") : added.error().to_string();
  };
  EXPECT_TRUE(test::contains(message({"/x", Kind::write_error, "EBUSSY", {}, {}}), "did you mean 'EBUSY'?"));
  EXPECT_NE(message({"/x", Kind::read_error, "", {}, {}}), "accepted");
  EXPECT_NE(message({"/x", Kind::frozen, "EIO", {}, {}}), "accepted");
  EXPECT_NE(message({"relative", Kind::frozen, "", {}, {}}), "accepted");
  EXPECT_NE(message({"/x", Kind::frozen, "", 0, {}}), "accepted");
  for (const Kind kind : {Kind::block, Kind::absent}) {
    EXPECT_TRUE(test::contains(message({"/x", kind, "", 2, {}}), "it lasts until it is cleared"));
    EXPECT_NE(message({"/x", kind, "EIO", {}, {}}), "accepted");
    EXPECT_EQ(message({"/x", kind, "", {}, {}}), "accepted");
  }
  EXPECT_TRUE(test::contains(parse_fault_kind("frozn").error().hint, "frozen"));
}

}  // namespace
}  // namespace fulcrum

// What the kernel of the simulated board makes of reads and writes.

#include <gtest/gtest.h>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using test::SimulatedBoard;
namespace node = test::node;

ErrorCode write_error(SimulatedBoard& board, const std::string& path, const std::string& value) {
  const auto written = board.tree->write(path, value);
  return written ? ErrorCode::internal : written.error().code;
}

TEST(SimulatedKernel, BootsIntoMaxnWithAllRangesOpen) {
  const SimulatedBoard board;
  EXPECT_EQ(board.get(node::cpu_dir + "/online"), "0-11");
  EXPECT_EQ(board.get(node::cpu_min), "115200");
  EXPECT_EQ(board.get(node::cpu_max), "2201600");
  EXPECT_EQ(board.get(node::gpu_min), "114750000");
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
  EXPECT_EQ(board.get(node::emc_cap), "0");
  EXPECT_EQ(board.get(node::emc_locked), "0");
  EXPECT_EQ(board.get(node::cpu_dir + "/cpu7/cpufreq/scaling_governor"), "schedutil");
}

TEST(SimulatedKernel, RoundsACpuMaximumDownAndAMinimumUp) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::cpu_max, "1000000"));
  EXPECT_EQ(board.get(node::cpu_max), "960000");
  ASSERT_TRUE(board.set(node::cpu_min, "200000"));
  EXPECT_EQ(board.get(node::cpu_min), "268800");
}

TEST(SimulatedKernel, TakesCpuLimitsBeyondTheTableAsItsEnds) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::cpu_max, "4294967295"));
  EXPECT_EQ(board.get(node::cpu_max), "2201600");
  ASSERT_TRUE(board.set(node::cpu_max, "0"));
  EXPECT_EQ(board.get(node::cpu_max), "115200");
}

TEST(SimulatedKernel, LowersACpuMinimumThatIsAboveTheMaximum) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::cpu_min, "1728000"));
  ASSERT_TRUE(board.set(node::cpu_max, "960000"));
  EXPECT_EQ(board.get(node::cpu_min), "960000");
}

TEST(SimulatedKernel, SharesLimitsAmongTheCpusOfACluster) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::cpu_dir + "/cpu5/cpufreq/scaling_max_freq", "960000\n"));
  EXPECT_EQ(board.get(node::cpu_dir + "/cpu7/cpufreq/scaling_max_freq"), "960000");
  EXPECT_EQ(board.get(node::cpu_dir + "/cpu8/cpufreq/scaling_max_freq"), "2201600");
}

TEST(SimulatedKernel, RefusesRubbish) {
  SimulatedBoard board;
  for (const auto& path : {node::cpu_max, node::gpu_min, node::emc_cap, node::emc_rate}) {
    for (const char* value : {"", "\n", "fast", "-1", " 7", "12abc", "0x10", "\n1"}) {
      EXPECT_EQ(write_error(board, path, value), ErrorCode::invalid_argument) << path << " '" << value << "'";
    }
  }
  EXPECT_EQ(write_error(board, node::cpu_max, "4294967296"), ErrorCode::invalid_argument);
  EXPECT_EQ(write_error(board, node::emc_cap, "18446744073709551616"), ErrorCode::invalid_argument);
  EXPECT_EQ(write_error(board, node::cpu_dir + "/cpu0/cpufreq/scaling_governor", "turbo"),
            ErrorCode::invalid_argument);
}

TEST(SimulatedKernel, TakesSwitchesByTheirFirstLetter) {
  SimulatedBoard board;
  for (const char* value : {"", "\n", "fast", "-1", " 0", "2"}) {
    EXPECT_EQ(write_error(board, node::online(3), value), ErrorCode::invalid_argument) << "'" << value << "'";
  }
  ASSERT_TRUE(board.set(node::online(3), "no"));
  EXPECT_EQ(board.get(node::online(3)), "0");
  ASSERT_TRUE(board.set(node::online(3), "1\n"));
  EXPECT_EQ(board.get(node::online(3)), "1");
}

TEST(SimulatedKernel, NeverTakesCpu0Offline) {
  SimulatedBoard board;
  EXPECT_EQ(write_error(board, node::online(0), "0"), ErrorCode::permission_denied);
  EXPECT_EQ(board.get(node::online(0)), "1");
  EXPECT_TRUE(board.set(node::online(0), "1"));
}

TEST(SimulatedKernel, HidesTheLimitsOfAClusterThatIsOffline) {
  SimulatedBoard board;
  for (const int cpu : {8, 9, 10, 11})
    ASSERT_TRUE(board.set(node::online(cpu), "0"));
  EXPECT_FALSE(board.tree->exists(node::cluster_max(8)));
  EXPECT_FALSE(board.tree->exists(node::cpu_dir + "/cpu8/cpufreq"));
  EXPECT_EQ(write_error(board, node::cluster_max(8), "960000"), ErrorCode::not_found);
  EXPECT_EQ(board.get(node::cpu_dir + "/online"), "0-7");
  ASSERT_TRUE(board.set(node::online(10), "1"));
  EXPECT_TRUE(board.tree->exists(node::cluster_max(8)));
  EXPECT_EQ(board.get(node::cpu_dir + "/online"), "0-7,10");
}

TEST(SimulatedKernel, RoundsGpuLimitsUp) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::gpu_max, "950000000"));
  EXPECT_EQ(board.get(node::gpu_max), "1032750000");
  ASSERT_TRUE(board.set(node::gpu_min, "300000000"));
  EXPECT_EQ(board.get(node::gpu_min), "318750000");
}

TEST(SimulatedKernel, TakesAGpuMaximumOf0AsNone) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::gpu_max, "318750000"));
  ASSERT_TRUE(board.set(node::gpu_max, "0"));
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
}

TEST(SimulatedKernel, ShowsTheEmcCapThatWasWritten) {
  const SimulatedBoard board;
  for (const char* value : {"7", "18446744073709551615", "3199000000", "0"}) {
    ASSERT_TRUE(board.set(node::emc_cap, value));
    EXPECT_EQ(board.get(node::emc_cap), value);
  }
}

TEST(SimulatedKernel, IgnoresEmcRatesWhileUnlockedAndThoseThatTheFirmwareDoesNotList) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::emc_rate, "2133000000"));
  EXPECT_EQ(board.get(node::emc_rate), "204000000");  // idle
  ASSERT_TRUE(board.set(node::emc_locked, "1"));
  ASSERT_TRUE(board.set(node::emc_rate, "2133000000"));
  EXPECT_EQ(board.get(node::emc_rate), "2133000000");
  ASSERT_TRUE(board.set(node::emc_rate, "2133000001"));
  EXPECT_EQ(board.get(node::emc_rate), "2133000000");
}

TEST(SimulatedKernel, KeepsTheEmcRateBelowItsCap) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(node::emc_locked, "1"));
  ASSERT_TRUE(board.set(node::emc_rate, "3199000000"));
  ASSERT_TRUE(board.set(node::emc_cap, "2200000000"));
  EXPECT_EQ(board.get(node::emc_rate), "2133000000");
}

TEST(SimulatedKernel, RefusesWritesToWhatIsReadOnlyAbsentOrADirectory) {
  SimulatedBoard board;
  EXPECT_EQ(write_error(board, node::gpu_dir + "/available_frequencies", "1"), ErrorCode::permission_denied);
  EXPECT_EQ(write_error(board, "/proc/sys/kernel/random/boot_id", "x"), ErrorCode::permission_denied);
  EXPECT_EQ(write_error(board, "/sys/absent", "1"), ErrorCode::not_found);
  EXPECT_FALSE(board.tree->write(node::gpu_dir, "1"));
  EXPECT_FALSE(board.tree->read(node::gpu_dir));
}

TEST(SimulatedKernel, FollowsLinks) {
  const SimulatedBoard board;
  for (const char* alias : {"/sys/class/devfreq/17000000.ga10b", "/sys/devices/17000000.ga10b/devfreq_dev",
                            "/sys/devices/gpu.0/devfreq_dev", "//sys/devices/17000000.ga10b//devfreq_dev/"}) {
    EXPECT_EQ(board.get(std::string(alias) + "/max_freq"), "1300500000") << alias;
  }
  EXPECT_EQ(board.tree->readlink("/sys/devices/17000000.ga10b/devfreq_dev").value(),
            "devfreq/17000000.ga10b");
  EXPECT_EQ(board.tree->read("/sys/class/devfreq/17000000.ga10b/device/of_node/name").value(),
            std::string("ga10b\0", 6));
  EXPECT_EQ(board.tree->readlink(node::gpu_max).error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(board.tree->exists("/sys/devices/../kernel"));
}

TEST(SimulatedKernel, SaysWhichMachineItIs) {
  const SimulatedBoard board;
  const std::string text = board.tree->read("/proc/device-tree/compatible").value();
  EXPECT_EQ(text, std::string("nvidia,p3737-0000+p3701-0000\0nvidia,p3701-0000\0nvidia,tegra234\0", 63));
}

TEST(SimulatedKernel, HasThermalZonesThatAnswerWouldBlock) {
  const SimulatedBoard board;
  int would_block = 0;
  const auto zones = board.tree->list("/sys/class/thermal").value();
  for (const auto& zone : zones) {
    const bool offline = board.get("/sys/class/thermal/" + zone + "/type").rfind("cv", 0) == 0;
    const auto temperature = board.tree->read("/sys/class/thermal/" + zone + "/temp");
    EXPECT_EQ(temperature.has_value(), !offline) << zone;
    would_block += !temperature && temperature.error().code == ErrorCode::unavailable ? 1 : 0;
  }
  EXPECT_EQ(would_block, 3);
}

TEST(SimulatedKernel, RaisesClocksOnlyWhileBusyUnlessPinned) {
  const SimulatedBoard board;
  const std::string cur = node::cpu_dir + "/cpu0/cpufreq/scaling_cur_freq";
  EXPECT_EQ(board.get(cur), "115200");
  ASSERT_TRUE(
      board.tree->report_load({{to_ns(board.clock.now()), true, "heavy-cnn", WorkloadTask::training, 16}}));
  EXPECT_EQ(board.get(cur), "2201600");
  EXPECT_EQ(board.get(node::gpu_dir + "/cur_freq"), "1300500000");
  EXPECT_EQ(board.get(node::emc_rate), "3199000000");
  ASSERT_TRUE(board.set(node::cpu_dir + "/cpu0/cpufreq/scaling_governor", "powersave"));
  EXPECT_EQ(board.get(cur), "115200");
}

}  // namespace
}  // namespace fulcrum

#include "powermode/simboard.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using test::contains;
namespace node = test::node;

class Simboard : public testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"fulcrum-simboard", "--state", directory_ / "board.json"});
    return run_bare(arguments);
  }
  int run_bare(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv;
    argv.reserve(arguments.size());
    for (const auto& argument : arguments)
      argv.push_back(argument.c_str());
    in_.clear();
    out_.str("");
    err_.str("");
    return run_simboard(static_cast<int>(argv.size()), argv.data(), in_, out_, err_);
  }

  test::TempDir directory_;
  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Simboard, CreatesGetsAndSets) {
  ASSERT_EQ(run({"create"}), 0) << err_.str();
  ASSERT_EQ(run({"set", node::gpu_max, "318750000"}), 0) << err_.str();
  ASSERT_EQ(run({"get", node::gpu_max}), 0);
  EXPECT_EQ(out_.str(), "318750000\n");
  ASSERT_EQ(run({"list", "/sys/class"}), 0);
  EXPECT_EQ(out_.str(), "devfreq\nthermal\n");
}

TEST_F(Simboard, WhatTheBoardRefusesIsStatus1) {
  EXPECT_EQ(run({"get", node::gpu_max}), 1);
  EXPECT_TRUE(contains(err_.str(), "create"));
  ASSERT_EQ(run({"create"}), 0);
  EXPECT_EQ(run({"create"}), 1);
  EXPECT_EQ(run({"set", node::online(0), "0"}), 1);
  EXPECT_TRUE(contains(err_.str(), "Operation not permitted"));
  EXPECT_EQ(run({"set", node::emc_cap, "--", "-1"}), 1);
  EXPECT_EQ(run({"get", "/sys/class"}), 1);
  EXPECT_TRUE(contains(err_.str(), "Is a directory"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(Simboard, AWrongCommandLineIsStatus2) {
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({"gett", "/x"}), 2);
  EXPECT_EQ(run({"get"}), 2);
  EXPECT_EQ(run({"get", "/x", "/y"}), 2);
  EXPECT_EQ(run({"fault", "add", "/x", "frozen", "--count", "0"}), 2);
  EXPECT_EQ(run_bare({"fulcrum-simboard", "list"}), 2);
  EXPECT_FALSE(err_.str().empty());
}

TEST_F(Simboard, HelpAndVersionAreStatus0) {
  EXPECT_EQ(run_bare({"fulcrum-simboard", "--help"}), 0);
  EXPECT_TRUE(contains(out_.str(), "Exit status: 0 done; 1 the board refused or failed; 2"));
  EXPECT_EQ(run_bare({"fulcrum-simboard", "--version"}), 0);
  EXPECT_EQ(out_.str().rfind("fulcrum-simboard ", 0), 0U);
}

TEST_F(Simboard, AddsListsAndClearsFaults) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run({"fault", "add", node::gpu_max, "write_error", "EBUSY", "--count", "2"}), 0) << err_.str();
  ASSERT_EQ(run({"fault", "list"}), 0);
  EXPECT_EQ(out_.str(), node::gpu_max + " write_error EBUSY (2 times)\n");
  EXPECT_EQ(run({"set", node::gpu_max, "318750000"}), 1);
  ASSERT_EQ(run({"fault", "clear"}), 0);
  EXPECT_EQ(run({"set", node::gpu_max, "318750000"}), 0);
  EXPECT_EQ(run({"fault", "add", "/x", "write_eror", "EBUSY"}), 1);
  EXPECT_TRUE(contains(err_.str(), "did you mean 'write_error'?"));
}

TEST_F(Simboard, TakesNodesAway) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run({"fault", "add", "/sys/class/thermal/*", "absent"}), 0) << err_.str();
  ASSERT_EQ(run({"fault", "add", node::gpu_max, "block"}), 0) << err_.str();
  ASSERT_EQ(run({"fault", "list"}), 0);
  EXPECT_EQ(out_.str(), "/sys/class/thermal/* absent\n" + node::gpu_max + " block\n");
  ASSERT_EQ(run({"list", "/sys/class"}), 0);
  EXPECT_EQ(out_.str(), "devfreq\n");
  EXPECT_EQ(run({"fault", "add", node::gpu_max, "block", "--count", "2"}), 1);
  EXPECT_TRUE(contains(err_.str(), "it lasts until it is cleared"));
}

TEST_F(Simboard, MountsOnlyOnAnEmptyDirectory) {
  EXPECT_EQ(run({"mount", directory_ / "absent", "--board", "agx-orin"}), 1);
  EXPECT_TRUE(contains(err_.str(), "mkdir")) << err_.str();
  EXPECT_EQ(run({"mount", directory_.path()}), 1);
  EXPECT_TRUE(contains(err_.str(), "not an empty directory")) << err_.str();
  EXPECT_EQ(run({"mount", directory_ / "board.json"}), 1);
  EXPECT_TRUE(contains(err_.str(), "not an empty directory")) << err_.str();
  EXPECT_EQ(out_.str(), "");
}

TEST_F(Simboard, MountMakesABoardOnlyIfItIsAskedTo) {
  EXPECT_EQ(run({"mount", directory_ / "absent"}), 1);
  EXPECT_TRUE(contains(err_.str(), "create")) << err_.str();
  EXPECT_EQ(run({"mount", directory_ / "absent", "--board", "agx-orinn"}), 1);
  EXPECT_EQ(run({"get", node::gpu_max}), 1);
  EXPECT_EQ(run({"mount", directory_ / "absent", "--board", "agx-orin"}), 1);
  ASSERT_EQ(run({"set", node::gpu_max, "318750000"}), 0) << err_.str();
  // A board that is there stays as it is.
  EXPECT_EQ(run({"mount", directory_ / "absent", "--board", "agx-orin"}), 1);
  ASSERT_EQ(run({"get", node::gpu_max}), 0);
  EXPECT_EQ(out_.str(), "318750000\n");
  EXPECT_EQ(run({"mount"}), 2);
}

TEST_F(Simboard, RaisesOverCurrentEventsAsTheHardwareDoes) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run({"set", "/simulated/over_current/oc3", "4"}), 0) << err_.str();
  const std::string hwmon = "/sys/devices/platform/soctherm-oc-event/hwmon";
  ASSERT_EQ(run({"list", hwmon}), 0);
  const std::string name = out_.str().substr(0, out_.str().find('\n'));
  ASSERT_EQ(run({"get", hwmon + "/" + name + "/oc3_event_cnt"}), 0);
  EXPECT_EQ(out_.str(), "4\n");
}

TEST_F(Simboard, HeatsAThermalZone) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run({"set", "/simulated/temperature/cpu-thermal", "88000"}), 0) << err_.str();
  ASSERT_EQ(run({"get", "/sys/class/thermal/thermal_zone0/temp"}), 0);
  EXPECT_EQ(out_.str(), "88000\n");
}

TEST_F(Simboard, HelpTellsHowToRaiseEventsAndTemperatures) {
  ASSERT_EQ(run_bare({"fulcrum-simboard", "--help"}), 0);
  EXPECT_TRUE(contains(out_.str(), "set /simulated/over_current/oc3 N"));
  EXPECT_TRUE(contains(out_.str(), "set /simulated/temperature/TYPE VALUE"));
}

TEST_F(Simboard, RunsNvpmodelWithItsOwnArguments) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run({"nvpmodel", "-m", "3"}), 0) << err_.str();
  ASSERT_EQ(run({"nvpmodel", "--verbose", "-q"}), 0) << err_.str();
  EXPECT_TRUE(contains(out_.str(), "NV Power Mode: MODE_50W\n3\n")) << out_.str();
  ASSERT_EQ(run({"nvpmodel", "-h"}), 0);
  EXPECT_TRUE(contains(out_.str(), "Usage: nvpmodel"));
  EXPECT_EQ(run({"nvpmodel", "list", "--state", "x"}), 255);
  EXPECT_TRUE(contains(err_.str(), "unrecognized option 'list'")) << err_.str();
  EXPECT_EQ(run({"nvpmodel"}), 255);
}

TEST_F(Simboard, HelpTellsHowNvpmodelCanBehave) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run_bare({"fulcrum-simboard", "--help"}), 0);
  const auto help = out_.str();
  for (const char* behaviour : {"works", "chroot", "silent", "hangs", "pending_reboot"}) {
    EXPECT_TRUE(contains(help, std::string("set /simulated/nvpmodel ") + behaviour));
    EXPECT_EQ(run({"set", "/simulated/nvpmodel", behaviour}), 0) << err_.str();
  }
  EXPECT_EQ(run({"set", "/simulated/nvpmodel", "sulks"}), 1);
}

TEST_F(Simboard, RebootsTheBoard) {
  ASSERT_EQ(run({"create"}), 0);
  ASSERT_EQ(run({"set", node::gpu_max, "318750000"}), 0);
  ASSERT_EQ(run({"reboot"}), 0);
  ASSERT_EQ(run({"get", node::gpu_max}), 0);
  EXPECT_EQ(out_.str(), "1300500000\n");
}

}  // namespace
}  // namespace fulcrum

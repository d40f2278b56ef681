// What every program promises: help, version, exit statuses, and what it loads.

#include <gtest/gtest.h>

#include <string>

#include "common/version.h"
#include "tests/integration/daemon_process.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::program;
using test::run_program;

class EveryProgram : public testing::TestWithParam<const char*> {};

TEST_P(EveryProgram, HelpsAndTellsItsExitStatuses) {
  const auto help = run_program(program(GetParam()) + " --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("xit status"), std::string::npos) << help.output;
}

TEST_P(EveryProgram, TellsItsVersion) {
  const auto version = run_program(program(GetParam()) + " --version");
  EXPECT_EQ(version.status, 0);
  EXPECT_NE(version.output.find(kVersion), std::string::npos) << version.output;
}

TEST_P(EveryProgram, RefusesAFlagThatIsNone) {
  EXPECT_EQ(run_program(program(GetParam()) + " --nonsense").status, 2);
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryProgram,
                         testing::Values("fulcrumd", "fulcrum-worker", "fulcrumctl", "fulcrum-eval",
                                         "fulcrum-simboard"));

TEST(Programs, OnlyTheWorkerLoadsLibTorch) {
  for (const auto* name : {"fulcrumd", "fulcrumctl", "fulcrum-simboard"}) {
    const auto libraries = run_program("ldd " + program(name));
    ASSERT_EQ(libraries.status, 0);
    EXPECT_EQ(libraries.output.find("torch"), std::string::npos) << name << ":\n" << libraries.output;
  }
  EXPECT_NE(run_program("ldd " + program("fulcrum-worker")).output.find("torch"), std::string::npos);
}

TEST(Programs, OnlyTheSimulatedBoardLoadsLibfuse) {
  for (const auto* name : {"fulcrumd", "fulcrumctl", "fulcrum-worker"}) {
    EXPECT_EQ(run_program("ldd " + program(name)).output.find("libfuse"), std::string::npos) << name;
  }
  EXPECT_NE(run_program("ldd " + program("fulcrum-simboard")).output.find("libfuse"), std::string::npos);
}

TEST(Programs, TheWorkerIsOfNoUseAlone) {
  const auto alone = run_program(program("fulcrum-worker") + " 3<&-");
  EXPECT_EQ(alone.status, 1) << alone.output;
  EXPECT_NE(alone.output.find("fulcrumd starts this program"), std::string::npos) << alone.output;
}

TEST(Programs, AWrongConfigurationIsToldWithItsPlace) {
  test::TempDir dir;
  test::spill(dir / "f.yaml", "board: simulated:agx-orin\nlog_levle: info\n");
  const auto checked =
      run_program(program("fulcrumd") + " --check-config --config " + dir.path() + "/f.yaml");
  EXPECT_EQ(checked.status, 78);
  EXPECT_NE(checked.output.find("f.yaml:2:1"), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("did you mean 'log_level'?"), std::string::npos) << checked.output;
}

TEST(Programs, AMachineThatIsNoJetsonHasItsOwnExitStatus) {
  test::TempDir dir;
  test::spill(dir / "empty.yaml", "");
  const auto refused =
      run_program(program("fulcrumd") + " --config " + dir.path() + "/empty.yaml --state-dir " + dir.path() +
                  "/state --runtime-dir " + dir.path() + "/run");
  EXPECT_EQ(refused.status, 69) << refused.output;
}

TEST(Programs, ACommandWithoutADaemonSaysWhatToDo) {
  const auto lost = run_program(program("fulcrumctl") + " --socket /nowhere/control.sock list");
  EXPECT_EQ(lost.status, 3);
  EXPECT_NE(lost.output.find("/nowhere/control.sock"), std::string::npos) << lost.output;
}

}  // namespace
}  // namespace fulcrum

// fulcrumctl board against a daemon: what a board says of itself, as a user sees it.

#include <gmock/gmock.h>

#include <string>

#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using test::program;
using test::run_program;
using test::TempDir;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class BoardScreens : public testing::Test {
 protected:
  void SetUp() override { daemon_.start(); }

  test::ProgramResult board(const std::string& words) const {
    return run_program(program("fulcrumctl") + " --socket " + daemon_.socket() + " board " + words);
  }
  // Something goes wrong with nodes of the board.
  void inject(const std::string& fault) const {
    const auto added = run_program(program("fulcrum-simboard") + " --state " + daemon_.board_state() +
                                   " fault add " + fault);
    ASSERT_EQ(added.status, 0) << added.output;
  }

  TempDir dir_;
  DaemonProcess daemon_{dir_.path()};
};

TEST_F(BoardScreens, ShowIsWhatTheBareWordShows) {
  const auto shown = board("show");
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("(agx-orin), simulated\n"), HasSubstr("\nmode "), HasSubstr(" W now"),
                    HasSubstr("not held, set through sysfs\n"), HasSubstr("1 to 12\n")));
  EXPECT_THAT(board("").output, StartsWith(shown.output.substr(0, shown.output.find("power"))));
}

TEST_F(BoardScreens, TheModeThatJobsRunInIsToldByName) {
  const auto job = daemon_.submit(test::training_json(dir_.path(), 100));
  daemon_.watch_until(job, [](const Json& e) { return e.value("state", "") == "running"; });
  EXPECT_THAT(board("show").output, AllOf(HasSubstr("MODE_50W (12 cores"), HasSubstr("held by fulcrumd")));
  EXPECT_THAT(board("modes").output, HasSubstr("active\n"));
}

TEST_F(BoardScreens, ModesSayWhichNeedAReboot) {
  const auto modes = board("modes");
  EXPECT_EQ(modes.status, 0);
  EXPECT_THAT(modes.output, AllOf(HasSubstr("PRESET"), HasSubstr("/etc/nvpmodel.conf"), HasSubstr("MODE_50W"),
                                  HasSubstr("needs a reboot: "), HasSubstr("tpc_pg_mask' is 0, not 240\n")));
}

TEST_F(BoardScreens, SensorsThatFailLeaveTheOthersInPlace) {
  EXPECT_THAT(board("sensors").output, AllOf(HasSubstr("VDD_CPU_CV"), HasSubstr("none since boot\n")));
  inject("/sys/devices/17000000.ga10b/load read_error EIO");
  const auto sensors = board("sensors");
  EXPECT_EQ(sensors.status, 0);
  EXPECT_THAT(sensors.output,
              AllOf(HasSubstr("GPU load"), HasSubstr("cannot be read: "), HasSubstr("VDD_CPU_CV")));
}

TEST_F(BoardScreens, TheDoctorSaysWhatTheDaemonsOwnDoes) {
  const auto report = board("doctor");
  EXPECT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(report.output, EndsWith("Fulcrum can do its job here.\n"));
  const auto own = run_program(program("fulcrumd") + " --doctor --config " + dir_.path() + "/fulcrumd.yaml");
  EXPECT_EQ(own.status, 0);
  const auto without_figures = [](const std::string& text) { return text.substr(0, text.find("power now")); };
  EXPECT_EQ(without_figures(report.output), without_figures(own.output));
}

TEST_F(BoardScreens, ABoardThatIsFitNoMoreIsOne) {
  inject("'/sys/bus/i2c/drivers/ina3221' absent");
  const auto report = board("doctor");
  EXPECT_EQ(report.status, 1) << report.output;
  EXPECT_THAT(report.output, AllOf(HasSubstr("BLOCKS   power sensors"), EndsWith("see what BLOCKS.\n")));
  const auto json = board("doctor --json");
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(Json::parse(json.output).at("fit"), false);
}

TEST_F(BoardScreens, WithoutTheDaemonTheDoctorSaysWhoElseCanLook) {
  daemon_.kill();
  const auto lost = board("doctor");
  EXPECT_EQ(lost.status, 3);
  EXPECT_THAT(lost.output, HasSubstr("fulcrumd --doctor"));
}

}  // namespace
}  // namespace fulcrum

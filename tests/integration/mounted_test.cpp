// The daemon on a board that is a mounted file system: the code and the kernel's paths are those of a real
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>

#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/powermode/mounted_board.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using testing::HasSubstr;

constexpr int kMountedEpochs = 25;

class Mounted : public testing::Test {
 protected:
  void SetUp() override {
    if (!board_.refused().empty()) GTEST_SKIP() << board_.refused();
  }

  DaemonProcess daemon(const std::string& more = {}) const {
    return DaemonProcess(dir_.path(), {}, "mode: MODE_50W\n",
                         "board: auto\nlog_level: debug\nboard_root: " + board_.mountpoint() + "\n" + more);
  }

  // Every knob, and what nvpmodel was told.
  std::map<std::string, std::string> knobs() const {
    const auto state = board_.tree().state()->to_json();
    std::map<std::string, std::string> knobs;
    for (const char* key : {"cpu_online", "cpu_clusters_khz", "gpu_hz", "values", "nvpmodel_id"})
      knobs[key] = state.at(key).dump();
    knobs["emc"] = state.at("emc").at("locked").dump() + state.at("emc").at("cap").dump();
    return knobs;
  }

  std::string at(const std::string& path) const { return board_.tree().read(path).value(); }

  const test::MountedBoard board_{"agx-orin"};
  const test::TempDir dir_;
  const std::string gpu_min_ = "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b/min_freq";
};

bool runs(const Json& event) {
  return event.value("state", "") == "running";
}

TEST_F(Mounted, AJobRunsInItsModeAndTheKnobsComeBack) {
  const auto untouched = knobs();
  auto fulcrumd = daemon();
  fulcrumd.start();
  const auto job = fulcrumd.submit(test::training_json(dir_.path(), kMountedEpochs));
  fulcrumd.watch_until(job, runs);
  EXPECT_EQ(at(gpu_min_), "726750000\n");
  EXPECT_EQ(fulcrumd.call("board.get").at("simulated"), false);
  EXPECT_EQ(fulcrumd.stop(), 0);
  EXPECT_EQ(knobs(), untouched);
}

TEST_F(Mounted, KnobsAndNvpmodelsModeComeBackAfterAKill) {
  const auto untouched = knobs();
  auto fulcrumd = daemon("apply: nvpmodel\n");
  fulcrumd.start();
  const auto job = fulcrumd.submit(test::training_json(dir_.path(), kMountedEpochs));
  fulcrumd.watch_until(job, runs);
  EXPECT_EQ(at("/var/lib/nvpmodel/status"), "pmode:0003\n");
  EXPECT_EQ(at(gpu_min_), "726750000\n");
  fulcrumd.kill();
  const auto restored = test::run_program(test::program("fulcrumd") + " --restore-knobs --config " +
                                          dir_.path() + "/fulcrumd.yaml");
  EXPECT_EQ(restored.status, 0) << restored.output;
  EXPECT_EQ(knobs(), untouched);
}

TEST_F(Mounted, ABoardWhoseSensorsComeLateIsWaitedFor) {
  board_.fault("/sys/bus/i2c/drivers/ina3221/*", SimulatedFault::Kind::absent);
  auto fulcrumd = daemon();
  std::thread start([&fulcrumd] { fulcrumd.start(); });
  test::wait_until("fulcrumd to wait",
                   [&] { return fulcrumd.log().find("the board is not whole yet") != std::string::npos; });
  EXPECT_TRUE(board_.tree().clear_faults());
  start.join();
  EXPECT_GT(fulcrumd.call("board.get").at("power").at("total_w").get<double>(), 0);
}

TEST_F(Mounted, TheDoctorSaysWhatIsMissingAndWhetherItWillDo) {
  const auto fulcrumd = daemon();
  const auto command = test::program("fulcrumd") + " --doctor --config " + dir_.path() + "/fulcrumd.yaml";
  const auto whole = test::run_program(command);
  EXPECT_EQ(whole.status, 0) << whole.output;
  EXPECT_THAT(whole.output, HasSubstr("Fulcrum can do its job here."));
  board_.fault("/sys/devices/platform/soctherm-oc-event/*", SimulatedFault::Kind::absent);
  EXPECT_THAT(test::run_program(command).output, HasSubstr("missing  over-current counters"));
  board_.fault("/sys/bus/i2c/drivers/ina3221/*", SimulatedFault::Kind::absent);
  const auto blind = test::run_program(command);
  EXPECT_EQ(blind.status, 1) << blind.output;
  EXPECT_THAT(blind.output, HasSubstr("BLOCKS   power sensors"));
}

}  // namespace
}  // namespace fulcrum

#include "daemon/board_doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "powermode/simulated_file_tree.h"
#include "powermode/simulated_nvpmodel.h"
#include "powermode/simulated_sensors.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::daemon {
namespace {

using Kind = SimulatedFault::Kind;
using Weight = Finding::Weight;
using testing::HasSubstr;

class BoardDoctor : public testing::Test {
 protected:
  BoardReport examine(const std::string& board = "simulated:agx-orin") {
    config_.board = board;
    config_.state_dir = dir_.path();
    const auto report = examine_board(config_, clock_);
    EXPECT_TRUE(report) << report.error().to_string();
    return *report;
  }
  std::unique_ptr<SimulatedFileTree> board() const {
    return std::move(*SimulatedFileTree::open(dir_ / "board.json", clock_));
  }
  void fault(const std::string& pattern, Kind kind, const std::string& error = {}) const {
    ASSERT_TRUE(board()->add_fault({pattern, kind, error, std::nullopt, {}}));
  }

  static const Finding* find(const BoardReport& report, const std::string& part, Weight weight) {
    for (const auto& finding : report.findings) {
      if (finding.part == part && finding.weight == weight) return &finding;
    }
    return nullptr;
  }

  test::TempDir dir_;
  const SystemClock clock_{};
  DaemonConfig config_;
};

TEST_F(BoardDoctor, FindsAWholeBoardFit) {
  const auto report = examine();
  EXPECT_TRUE(report.fit());
  EXPECT_EQ(report.id, "agx-orin");
  EXPECT_TRUE(find(report, "power now", Weight::fine));
  EXPECT_THAT(report.to_text(), HasSubstr("Fulcrum can do its job here."));
  for (const auto& finding : report.findings) {
    const auto again = Finding::from_json(finding.to_json());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->to_json(), finding.to_json());
  }
}

TEST_F(BoardDoctor, TellsAllThatIsMissingAtOnce) {
  examine();
  fault("/sys/bus/i2c/drivers/ina3221/*", Kind::absent);
  fault("/sys/devices/17000000.ga10b/devfreq", Kind::absent);
  fault("/sys/class/thermal/*", Kind::absent);
  const auto report = examine();
  EXPECT_FALSE(report.fit());
  EXPECT_TRUE(find(report, "power sensors", Weight::blocks));
  EXPECT_TRUE(find(report, "GPU clock", Weight::blocks));
  EXPECT_TRUE(find(report, "thermal zones", Weight::disables));
  EXPECT_TRUE(find(report, "CPUs", Weight::fine));
}

TEST_F(BoardDoctor, SensorsThatAreThereAndSayNothingBlock) {
  examine();
  fault("/sys/bus/i2c/*/1-0041/*/curr2_input", Kind::read_error, "EIO");
  const auto report = examine();
  EXPECT_FALSE(report.fit());
  const auto* power = find(report, "power now", Weight::blocks);
  ASSERT_NE(power, nullptr);
  EXPECT_THAT(power->what, HasSubstr("VDDQ_VDD2_1V8AO"));
}

TEST_F(BoardDoctor, NotesWhatIsNotAsItShouldBe) {
  examine();
  ASSERT_TRUE(board()->write(kSimulatedCpuThrottle, "50"));
  ASSERT_TRUE(board()->write("/var/lib/nvpmodel/status", "pmode:0003"));
  const auto report = examine();
  EXPECT_TRUE(report.fit());
  EXPECT_TRUE(find(report, "CPU clock", Weight::note));
  EXPECT_TRUE(find(report, "nvpmodel", Weight::note));
  EXPECT_TRUE(find(report, "presets", Weight::note));
}

TEST_F(BoardDoctor, ABoardWhoseKnobsAreNotTurnedIsNotFit) {
  const auto report = examine("simulated:agx-thor");
  EXPECT_FALSE(report.fit());
  EXPECT_TRUE(find(report, "control", Weight::blocks));
}

TEST_F(BoardDoctor, AConfiguredModeThatCannotBeSetBlocks) {
  config_.mode = "MODE_30W";  // it needs a reboot
  EXPECT_TRUE(find(examine(), "configured mode", Weight::blocks));
  config_.mode = "MAXX";
  EXPECT_TRUE(find(examine(), "configured mode", Weight::blocks));
  config_.mode = "MODE_50W";
  EXPECT_TRUE(examine().fit());
}

TEST_F(BoardDoctor, AnNvpmodelThatIsNotThereBlocksWhereModesAreSetThroughIt) {
  config_.nvpmodel = dir_ / "none";
  EXPECT_TRUE(examine().fit());
  config_.apply = "nvpmodel";
  EXPECT_TRUE(find(examine(), "nvpmodel", Weight::blocks));
}

TEST_F(BoardDoctor, ThisMachineIsNoJetson) {
  config_.board_root = dir_.path();
  const auto report = examine("auto");
  EXPECT_FALSE(report.fit());
  EXPECT_TRUE(report.id.empty());
  EXPECT_TRUE(find(report, "machine", Weight::blocks));
}

}  // namespace
}  // namespace fulcrum::daemon

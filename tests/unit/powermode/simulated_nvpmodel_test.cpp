// What the simulated nvpmodel says and does, against the transcripts of the real one.

#include "powermode/simulated_nvpmodel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "powermode/nvpmodel_output.h"
#include "tests/unit/powermode/simulated_nvpmodel.h"

namespace fulcrum {
namespace {

using test::run_nvpmodel;
using test::SimulatedBoard;
using testing::HasSubstr;
using testing::StartsWith;
namespace node = test::node;
using Kind = SimulatedFault::Kind;

constexpr const char* kNotSet =
    "NVPM ERROR: failed to set power mode!\n"
    "NVPM ERROR: optMask is 2, no request for power mode\n";

NvpmodelOutcome outcome_of(const test::SimulatedNvpmodelRun& run) {
  return judge_nvpmodel_run(run.output, run.status).outcome;
}

std::string status_of(const SimulatedBoard& board) {
  return board.get(kNvpmodelStatus);
}

// Mode 2 gates other parts of the GPU than are gated after boot.
TEST(SimulatedNvpmodel, AQuestionWithoutAnAnswerChangesNothing) {
  const SimulatedBoard board;
  const auto run = run_nvpmodel(board, {"-m", "2"});
  EXPECT_EQ(run.status, 255);
  EXPECT_EQ(run.output,
            "NVPM WARN: Reboot required for changing to this power mode: 2\n"
            "NVPM WARN: DO YOU WANT TO REBOOT NOW? enter YES/yes to confirm:\n"
            "NVPM ERROR: bad input!\n"
            "NVPM ERROR: optMask is 1, no request for power mode\n");
  EXPECT_EQ(status_of(board), "pmode:0000");
}

TEST(SimulatedNvpmodel, JetPack6SaysWhyItAsksAndTakesNoForAnAnswer) {
  const SimulatedBoard board("orin-nx-super");
  const auto run = run_nvpmodel(board, {"-m", "1"}, "no\n");
  EXPECT_EQ(run.status, 255);
  EXPECT_EQ(run.output,
            "NVPM WARN: Golden image context is already created\n"
            "NVPM WARN: Reboot required for changing to this power mode: 1\n"
            "NVPM WARN: DO YOU WANT TO REBOOT NOW? enter YES/yes to confirm:\n"
            "NVPM ERROR: optMask is 1, no request for power mode\n");
}

TEST(SimulatedNvpmodel, ForcedItRebootsUnasked) {
  const SimulatedBoard board("orin-nx-super");
  const auto run = run_nvpmodel(board, {"-m", "1", "--force"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output,
            "NVPM WARN: Golden image context is already created\n"
            "NVPM WARN: rebooting..\n");
  EXPECT_EQ(status_of(board), "pmode:0001");
  EXPECT_EQ(board.tree->state()->boots, 2);
}

TEST(SimulatedNvpmodel, OnlyYesIsAnAnswer) {
  const SimulatedBoard board;
  for (const char* answer : {"y\n", "Yes\n", "\n", "yes please\n"})
    EXPECT_EQ(run_nvpmodel(board, {"-m", "2"}, answer).status, 255) << answer;
  EXPECT_EQ(run_nvpmodel(board, {"-m", "2"}, "YES").status, 0);
}

TEST(SimulatedNvpmodel, AMaskThatIsChangedTooLateIsBusy) {
  const SimulatedBoard board;
  board.fault("/sys/*/tpc_pg_mask", Kind::write_error, "EBUSY");
  const auto run = run_nvpmodel(board, {"-m", "3"});
  EXPECT_EQ(run.status, 255);
  EXPECT_EQ(run.output, std::string("NVPM ERROR: Error writing 0 to /sys/devices/gpu.0/tpc_pg_mask: 16\n"
                                    "NVPM ERROR: failed to write PARAM TPC_POWER_GATING: ARG TPC_PG_MASK: "
                                    "PATH: /sys/devices/gpu.0/tpc_pg_mask VAL: 0\n") +
                            kNotSet);
  EXPECT_EQ(outcome_of(run), NvpmodelOutcome::failed);
  EXPECT_EQ(status_of(board), "pmode:0000");
}

TEST(SimulatedNvpmodel, AMaskThatTheGpuDoesNotTakeIsTold) {
  const SimulatedBoard board("orin-nano-super");
  board.fault("/sys/*/fbp_pg_mask", Kind::write_error, "ENODEV");
  EXPECT_THAT(run_nvpmodel(board, {"-m", "0"}).output,
              StartsWith("NVPM ERROR: Error writing 2 to /sys/devices/platform/gpu.0/fbp_pg_mask: 19\n"
                         "NVPM ERROR: failed to write PARAM FBP_POWER_GATING: ARG FBP_PG_MASK: PATH: "
                         "/sys/devices/platform/gpu.0/fbp_pg_mask VAL: 2\n"));
}

TEST(SimulatedNvpmodel, WithoutItsMaskNothingIsWritten) {
  const SimulatedBoard board;
  board.fault("/sys/*/tpc_pg_mask", Kind::read_error, "EACCES");
  const auto run = run_nvpmodel(board, {"-m", "3"});
  EXPECT_EQ(run.status, 255);
  EXPECT_EQ(run.output, std::string("NVPM ERROR: Error opening /sys/devices/gpu.0/tpc_pg_mask: 13\n"
                                    "NVPM ERROR: failed to read PARAM TPC_POWER_GATING: ARG TPC_PG_MASK: "
                                    "PATH /sys/devices/gpu.0/tpc_pg_mask\n") +
                            kNotSet);
  EXPECT_EQ(board.get(node::cpu_max), "2201600");
}

TEST(SimulatedNvpmodel, WithoutTheGpusTableItFails) {
  const SimulatedBoard board;
  board.fault("/sys/*/devfreq/*/available_frequencies", Kind::read_error, "ENOENT");
  const std::string table = "/sys/devices/17000000.ga10b/devfreq_dev/available_frequencies";
  EXPECT_EQ(run_nvpmodel(board, {"-m", "3"}).output,
            "NVPM ERROR: Error opening " + table +
                ": 2\nNVPM ERROR: failed to read PARAM GPU: ARG FREQ_TABLE: PATH " + table + "\n" + kNotSet);
}

TEST(SimulatedNvpmodel, WhatWasWrittenBeforeAFailureStaysWritten) {
  const SimulatedBoard board("xavier-nx");
  board.fault("/sys/*/curr1_max", Kind::write_error, "ENOENT");
  const auto run = run_nvpmodel(board, {"-m", "2"});
  EXPECT_EQ(run.status, 255);
  EXPECT_THAT(run.output, HasSubstr("curr1_max: 2\nNVPM ERROR: failed to write PARAM VDDIN_OC_LIMIT: ARG "
                                    "WARN: PATH: /sys/bus/i2c/drivers/ina3221/7-0040/hwmon VAL: 4000\n"));
  EXPECT_EQ(board.get(node::cpu_max), "1344000");
  EXPECT_EQ(board.get(node::emc_cap), "0") << "comes behind it";
  EXPECT_EQ(status_of(board), "pmode:0008");
}

TEST(SimulatedNvpmodel, FindsASensorUnderAnyHwmonNumber) {
  const SimulatedBoard board("xavier-nx");
  const std::string hwmon = "/sys/bus/i2c/drivers/ina3221/7-0040/hwmon";
  for (int boot = 0; boot < 2; ++boot) {
    ASSERT_EQ(run_nvpmodel(board, {"-m", "2"}).status, 0);
    EXPECT_EQ(board.get(hwmon + "/" + board.tree->list(hwmon)->front() + "/curr1_max"), "4000");
    ASSERT_TRUE(board.tree->reboot());
  }
}

TEST(SimulatedNvpmodel, AModeThatTheCatalogueLacksIsAnError) {
  const SimulatedBoard board;
  const auto run = run_nvpmodel(board, {"-m", "9"});
  EXPECT_EQ(run.status, 255);
  EXPECT_EQ(outcome_of(run), NvpmodelOutcome::failed);
  EXPECT_EQ(status_of(board), "pmode:0000");
}

TEST(SimulatedNvpmodel, TakesNothingThatTheRealOneDoesNot) {
  const SimulatedBoard board;
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"-x"}, {"3"}, {"-m"}, {"-m", "x"}, {"-m", "-1"}, {"-f"}, {"--verbose"}, {"-q", "now"}}) {
    const auto run = run_nvpmodel(board, arguments);
    EXPECT_EQ(run.status, 255);
    EXPECT_THAT(run.output, HasSubstr("NVPM ERROR: "));
  }
  EXPECT_EQ(run_nvpmodel(board, {"-h"}).status, 0);
  EXPECT_EQ(run_nvpmodel(board, {"-p"}).status, 0);
}

TEST(SimulatedNvpmodel, WithoutACatalogueItFails) {
  const SimulatedBoard board("agx-thor");
  const auto run = run_nvpmodel(board, {"-q"});
  EXPECT_EQ(run.status, 255);
  EXPECT_THAT(run.output, HasSubstr("/etc/nvpmodel.conf"));
}

// --- Another conf than the board's own.

class CustomConf : public testing::Test {
 protected:
  void SetUp() override {
    test::spill(path_, board_.tree->read("/etc/nvpmodel.conf").value() +
                           "< POWER_MODEL ID=14 NAME=CUSTOM >\n"
                           "CPU_ONLINE CORE_11 0\nTPC_POWER_GATING TPC_PG_MASK 0\n"
                           "CPU_A78_0 MAX_FREQ 960000\nCPU_A78_1 MAX_FREQ 960000\n"
                           "CPU_A78_2 MAX_FREQ 960000\nGPU MAX_FREQ 522750000\nEMC MAX_FREQ 2133000000\n");
  }

  const SimulatedBoard board_;
  const std::string path_ = board_.directory / "custom.conf";
};

TEST_F(CustomConf, IsTaken) {
  const auto run = run_nvpmodel(board_, {"-f", path_, "-m", "14"});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(board_.discover()->read_mode().value(), (PowerMode{11, 960000, 522750000, 2133000000}));
  EXPECT_EQ(status_of(board_), "pmode:0014");
  EXPECT_EQ(run_nvpmodel(board_, {"-q", "-f", path_}).output, "NV Power Mode: CUSTOM\n14\n");
}

// The catalogue that it reads at boot and without -f does not have the mode.
TEST_F(CustomConf, OutlivesNoReboot) {
  ASSERT_EQ(run_nvpmodel(board_, {"-f", path_, "-m", "14"}).status, 0);
  ASSERT_TRUE(board_.tree->reboot());
  const auto board = board_.discover();
  EXPECT_EQ(board->read_mode().value(), board->highest_mode());
  EXPECT_EQ(status_of(board_), "pmode:0014");
  EXPECT_EQ(board->requested_preset(), nullptr);
  const auto query = run_nvpmodel(board_, {"-q"});
  EXPECT_EQ(query.status, 255);
  EXPECT_FALSE(parse_nvpmodel_query(query.output));
}

TEST_F(CustomConf, ThatIsAbsentBrokenOrWithoutADefaultIsAnError) {
  EXPECT_EQ(run_nvpmodel(board_, {"-f", board_.directory / "none", "-m", "3"}).status, 255);
  for (const char* text : {"< POWER_MODEL\n", "< POWER_MODEL ID=3 NAME=X >\n"}) {
    test::spill(path_, text);
    const auto run = run_nvpmodel(board_, {"-f", path_, "-m", "3"});
    EXPECT_EQ(run.status, 255);
    EXPECT_THAT(run.output, HasSubstr("NVPM ERROR: "));
  }
  EXPECT_EQ(status_of(board_), "pmode:0000");
}

// --- What was asked for.

TEST(SimulatedNvpmodelQuery, SaysWhatWasAskedForWhateverHolds) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(kNvpmodelStatus, "pmode:0002"));
  EXPECT_EQ(run_nvpmodel(board, {"-q"}).output, "NV Power Mode: MODE_30W\n2\n");
}

TEST(SimulatedNvpmodelQuery, OnJetPack4ItWarnsOfTheFanFirst) {
  const SimulatedBoard board("nano");
  EXPECT_EQ(run_nvpmodel(board, {"-q"}).output, "NVPM WARN: fan mode is not set!\nNV Power Mode: MAXN\n0\n");
}

TEST(SimulatedNvpmodelQuery, WhatItMayNotReadComesBehindTheMode) {
  const SimulatedBoard board;
  board.fault(node::emc_cap, Kind::read_error, "EACCES");
  const auto run = run_nvpmodel(board, {"-q"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output, "NV Power Mode: MAXN\n0\nNVPM ERROR: Error opening " + node::emc_cap +
                            ": 13\nNVPM ERROR: failed to read PARAM EMC: ARG MAX_FREQ: PATH " +
                            node::emc_cap + "\n");
  EXPECT_EQ(parse_nvpmodel_query(run.output)->errors.size(), 2U);
}

TEST(SimulatedNvpmodelQuery, OnABoardThatWasNeverSwitchedIsTheDefault) {
  const SimulatedBoard board;
  auto state = board.tree->state()->to_json();
  state["nvpmodel_id"] = nullptr;
  test::spill(board.state_path(), state.dump());
  ASSERT_FALSE(board.tree->exists(kNvpmodelStatus));
  EXPECT_EQ(run_nvpmodel(board, {"-q"}).output, "NV Power Mode: MODE_30W\n2\n");
  ASSERT_EQ(run_nvpmodel(board, {"-m", "3"}).status, 0);
  EXPECT_EQ(status_of(board), "pmode:0003");
}

TEST(SimulatedNvpmodelQuery, WithoutTheStatusFileIsAnError) {
  const SimulatedBoard board;
  board.fault(kNvpmodelStatus, Kind::read_error, "EACCES");
  EXPECT_EQ(run_nvpmodel(board, {"-q"}).status, 255);
  board.fault(kNvpmodelStatus, Kind::write_error, "EACCES");
  EXPECT_EQ(outcome_of(run_nvpmodel(board, {"-m", "0"})), NvpmodelOutcome::failed);
}

TEST(SimulatedNvpmodelQuery, TellsOfEveryNodeWhenAsked) {
  const SimulatedBoard board("orin-nano-super");
  ASSERT_EQ(run_nvpmodel(board, {"-m", "1"}).status, 0);
  const auto run = run_nvpmodel(board, {"-q", "--verbose"});
  EXPECT_THAT(run.output, StartsWith("NVPM VERB: Config file: /etc/nvpmodel.conf\n"
                                     "NVPM VERB: parsing done for /etc/nvpmodel.conf\n"
                                     "NVPM VERB: Current mode: NV Power Mode: 25W\n1\n"
                                     "NVPM VERB: PARAM CPU_ONLINE: ARG CORE_0: PATH "
                                     "/sys/devices/system/cpu/cpu0/online: REAL_VAL: 1 CONF_VAL: 1\n"));
  EXPECT_THAT(run.output, HasSubstr("NVPM VERB: PARAM GPU_POWER_CONTROL_ENABLE: ARG GPU_PWR_CNTL_EN: PATH "
                                    "/sys/devices/platform/gpu.0/power/control: REAL_VAL: auto CONF_VAL: "
                                    "on\n"));
  EXPECT_THAT(run.output, HasSubstr("devfreq_dev/min_freq: REAL_VAL: 306000000 CONF_VAL: 0\n"));
  EXPECT_EQ(parse_nvpmodel_query(run.output)->mode_id, 1);
}

TEST(SimulatedNvpmodelQuery, WhatIsNotCappedIsTheHighestNumberOfItsRelease) {
  const SimulatedBoard jetpack_6("orin-nano-super");
  EXPECT_THAT(run_nvpmodel(jetpack_6, {"-q", "--verbose"}).output,
              HasSubstr("nvpmodel_clk_cap/emc: REAL_VAL: 3199000000 CONF_VAL: 9223372036854775807\n"));
  const SimulatedBoard jetpack_4("nano");
  EXPECT_THAT(run_nvpmodel(jetpack_4, {"-q", "--verbose"}).output,
              HasSubstr("PATH /sys/devices/57000000.gpu/devfreq/57000000.gpu/max_freq: REAL_VAL: 921600000 "
                        "CONF_VAL: 2147483647\n"));
}

// --- How it can be told to behave.

TEST(SimulatedNvpmodelBehaviour, InAContainerItIgnoresTheRequestAndSucceeds) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(kSimulatedNvpmodel, "chroot"));
  const auto run = run_nvpmodel(board, {"-m", "3"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output, "Running in chroot, ignoring request.\n");
  EXPECT_EQ(outcome_of(run), NvpmodelOutcome::ignored);
  EXPECT_EQ(status_of(board), "pmode:0003");
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
}

TEST(SimulatedNvpmodelBehaviour, SilentItSucceedsAtNothing) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(kSimulatedNvpmodel, "silent"));
  const auto run = run_nvpmodel(board, {"-m", "3"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output, "");
  EXPECT_EQ(status_of(board), "pmode:0003");
  EXPECT_EQ(board.get(node::gpu_max), "1300500000");
}

// As was reported: a reboot by somebody else does not help, a yes does.
TEST(SimulatedNvpmodelBehaviour, AfterAYesItWantsNoRebootAnyMore) {
  const SimulatedBoard board;
  ASSERT_TRUE(board.set(kSimulatedNvpmodel, "pending_reboot"));
  EXPECT_EQ(outcome_of(run_nvpmodel(board, {"-m", "0"})), NvpmodelOutcome::needs_reboot);
  ASSERT_TRUE(board.tree->reboot());
  EXPECT_EQ(outcome_of(run_nvpmodel(board, {"-m", "0"})), NvpmodelOutcome::needs_reboot);
  EXPECT_EQ(outcome_of(run_nvpmodel(board, {"-m", "0"}, "yes\n")), NvpmodelOutcome::rebooting);
  EXPECT_EQ(outcome_of(run_nvpmodel(board, {"-m", "0"})), NvpmodelOutcome::accepted);
  EXPECT_EQ(board.get(kSimulatedNvpmodel), "works");
}

TEST(SimulatedNvpmodelBehaviour, IsOneOfThoseThatAreKnown) {
  const SimulatedBoard board;
  EXPECT_EQ(board.get(kSimulatedNvpmodel), "works");
  EXPECT_FALSE(board.set(kSimulatedNvpmodel, "sulks"));
  EXPECT_FALSE(board.set(kNvpmodelStatus, "3"));
}

}  // namespace
}  // namespace fulcrum

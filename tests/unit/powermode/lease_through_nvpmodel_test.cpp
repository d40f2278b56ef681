// Modes set through nvpmodel: presets by its own, others through a catalogue that is made; and what it is
// told at the end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "powermode/board_lease.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_knobs.h"
#include "powermode/simulated_nvpmodel.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using test::SimulatedBoard;
using testing::HasSubstr;
namespace node = test::node;

class LeaseThroughNvpmodel : public testing::Test {
 protected:
  LeaseThroughNvpmodel() { use("agx-orin"); }

  void use(const std::string& name) {
    board_.reset();
    simulated_ = std::make_unique<SimulatedBoard>(name);
    const auto path = simulated_->directory / "nvpmodel";
    test::spill(path, "#!/bin/sh\necho \"$*\" >>'" + (simulated_->directory / "asked") +
                          "'\nexec '" FULCRUM_BIN_DIR "/fulcrum-simboard' --state '" +
                          simulated_->state_path() + "' nvpmodel \"$@\"\n");
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    program_ = NvpmodelProgram(path, std::chrono::seconds(60));
    board_ = simulated_->discover();
  }

  std::unique_ptr<BoardLease> acquire() const {
    auto lease = BoardLease::acquire(*board_, simulated_->state_dir(), make_null_logger(), program_);
    EXPECT_TRUE(lease) << lease.error().to_string();
    return std::move(*lease);
  }
  PowerMode preset(const std::string& name) const { return board_->mode_named(name).value(); }
  std::string asked() const { return test::slurp(simulated_->directory / "asked"); }
  std::string status() const { return simulated_->get("/var/lib/nvpmodel/status"); }

  // As they read; without what nvpmodel sets in every mode, and we do not.
  Json knobs() const {
    const auto state = simulated_->tree->state().value();
    const auto json = state.to_json();
    Json knobs;
    for (const char* key : {"cpu_online", "cpu_clusters_khz", "gpu_hz", "values", "nvpmodel_id"})
      knobs[key] = json.at(key);
    for (auto it = knobs["values"].begin(); it != knobs["values"].end();)
      it = it.key().find("curr1_max") == std::string::npos ? std::next(it) : knobs["values"].erase(it);
    const auto hardware = powermode::SimulatedHardware::builtin(state.board).value();
    knobs["emc"] = {powermode::emc_cap(hardware, state), state.emc.locked};
    return knobs;
  }

  void crash_in(const PowerMode& mode) const {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto lease = acquire();
      std::_Exit(lease->apply(mode) ? 0 : 1);  // no destructor runs
    }
    int ended = 0;
    ::waitpid(child, &ended, 0);
    ASSERT_EQ(ended, 0);
  }

  std::unique_ptr<SimulatedBoard> simulated_;
  NvpmodelProgram program_;
  std::unique_ptr<Board> board_;
};

TEST_F(LeaseThroughNvpmodel, APresetIsSetByItsNumberAndPinned) {
  const auto lease = acquire();
  const auto applied = lease->apply(preset("MODE_50W"));
  ASSERT_TRUE(applied) << applied.error().to_string();
  EXPECT_EQ(asked(), "-m 3\n");
  EXPECT_EQ(board_->read_mode().value(), preset("MODE_50W"));
  EXPECT_EQ(simulated_->get(node::gpu_min), simulated_->get(node::gpu_max));
  EXPECT_EQ(simulated_->get(node::emc_locked), "1");
}

TEST_F(LeaseThroughNvpmodel, AnyOtherModeGoesThroughACatalogueOfOurs) {
  const auto lease = acquire();
  const PowerMode mode{5, 960000, 522750000, 2133000000};
  const auto applied = lease->apply(mode);
  ASSERT_TRUE(applied) << applied.error().to_string();
  EXPECT_EQ(board_->read_mode().value(), mode);
  EXPECT_EQ(simulated_->get("/sys/devices/system/cpu/online"), "0-4");
  EXPECT_EQ(asked(), "-f " + simulated_->state_dir() + "/nvpmodel.conf -m 0\n");
}

TEST_F(LeaseThroughNvpmodel, EveryBoardGoesThroughItsCornersAndComesBack) {
  for (const auto& name : powermode::simulated_board_names()) {
    if (!powermode::SimulatedHardware::builtin(name)->nvpmodel) continue;
    SCOPED_TRACE(name);
    use(name);
    const auto before = knobs();
    const auto& levels = board_->levels();
    const PowerMode lowest{1, levels.cpu_khz.front(), levels.gpu_hz.front(), levels.emc_hz.front()};
    const auto lease = acquire();
    for (const auto& mode : {lowest, board_->highest_mode(), lowest}) {
      const auto applied = lease->apply(mode);
      ASSERT_TRUE(applied) << applied.error().to_string();
      EXPECT_EQ(board_->read_mode().value(), mode);
    }
    const auto report = lease->release();
    EXPECT_TRUE(report.complete()) << report.summary();
    EXPECT_EQ(knobs(), before);
  }
}

TEST_F(LeaseThroughNvpmodel, WhatItWasToldBeforeItIsToldAtTheEnd) {
  const auto before = knobs();
  {
    const auto lease = acquire();
    ASSERT_TRUE(lease->apply(preset("MODE_50W")));
    EXPECT_EQ(status(), "pmode:0003");
  }
  EXPECT_EQ(status(), "pmode:0000");
  EXPECT_EQ(knobs(), before);
}

TEST_F(LeaseThroughNvpmodel, AndAlsoAfterACrash) {
  const auto before = knobs();
  crash_in({5, 960000, 522750000, 2133000000});
  EXPECT_EQ(status(), "pmode:0000") << "so a power cut would bring back the mode before";
  const auto report = restore_saved_knobs(*board_, simulated_->state_dir(), make_null_logger());
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->complete()) << report->summary();
  EXPECT_EQ(knobs(), before);
}

// nvpmodel sets at every boot what it was told last; knobs are as the kernel makes them.
TEST_F(LeaseThroughNvpmodel, AndAlsoAfterACrashAndAReboot) {
  crash_in(preset("MODE_50W"));
  ASSERT_TRUE(simulated_->tree->reboot());
  EXPECT_EQ(status(), "pmode:0003");
  board_ = simulated_->discover();
  const auto report = restore_saved_knobs(*board_, simulated_->state_dir(), make_null_logger());
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->complete()) << report->summary();
  EXPECT_EQ(status(), "pmode:0000");
  EXPECT_EQ(board_->read_mode().value(), board_->highest_mode());
}

// So that a boot after a power cut is one into the mode that somebody chose.
TEST_F(LeaseThroughNvpmodel, ACustomModeHasTheNumberOfTheModeBefore) {
  crash_in({5, 960000, 522750000, 2133000000});
  ASSERT_TRUE(simulated_->tree->reboot());
  board_ = simulated_->discover();
  ASSERT_NE(board_->requested_preset(), nullptr);
  EXPECT_EQ(board_->requested_preset()->name, "MAXN");
  EXPECT_EQ(board_->read_mode().value(), board_->highest_mode());
}

// After a reboot nothing is pinned, and no minimum is ours to lower.
TEST_F(LeaseThroughNvpmodel, AfterARebootOnlyNvpmodelIsTold) {
  crash_in(preset("MODE_50W"));
  ASSERT_TRUE(simulated_->tree->reboot());
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "pending_reboot"));  // it will not do anything
  ASSERT_TRUE(simulated_->set(node::gpu_min, "318750000"));
  board_ = simulated_->discover();
  const auto report = restore_saved_knobs(*board_, simulated_->state_dir(), make_null_logger());
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->complete());
  EXPECT_EQ(simulated_->get(node::gpu_min), "318750000");
}

TEST_F(LeaseThroughNvpmodel, ANumberThatTheCatalogueLacksIsNotToldAgain) {
  use("orin-nano-super");
  ASSERT_TRUE(simulated_->set("/var/lib/nvpmodel/status", "pmode:0017"));
  ASSERT_TRUE(acquire()->apply(board_->lowest_mode()));
  EXPECT_EQ(status(), "pmode:0001") << "but the default is";
}

TEST_F(LeaseThroughNvpmodel, ABoardWhoseOwnModeIsOutOfReachIsNotSetThroughIt) {
  ASSERT_TRUE(simulated_->set("/var/lib/nvpmodel/status", "pmode:0002"));  // other masks than those that hold
  const auto lease = BoardLease::acquire(*board_, simulated_->state_dir(), make_null_logger(), program_);
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::unsupported);
  EXPECT_THAT(lease.error().to_string(), HasSubstr("MODE_30W, needs a reboot"));
}

// Reports of exit status 0 with nothing done: a container, an ssh session without a terminal.
TEST_F(LeaseThroughNvpmodel, ItsWordIsNotBelieved) {
  const auto before = knobs();
  const auto lease = acquire();
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "silent"));
  const auto silent = lease->apply({5, 960000, 522750000, 2133000000});
  ASSERT_FALSE(silent);
  EXPECT_THAT(silent.error().to_string(), HasSubstr("but the board is in '12 cores"));
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "chroot"));
  const auto contained = lease->apply({5, 960000, 522750000, 2133000000});
  ASSERT_FALSE(contained);
  EXPECT_THAT(contained.error().to_string(), HasSubstr("container"));
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "works"));
  EXPECT_TRUE(lease->release().complete());
  EXPECT_EQ(knobs(), before);
}

TEST_F(LeaseThroughNvpmodel, AModeThatWantsARebootIsRefusedAndNothingReboots) {
  const auto lease = acquire();
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "pending_reboot"));
  const auto refused = lease->apply(preset("MODE_50W"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("reboot"));
  EXPECT_EQ(simulated_->tree->state()->boots, 1);
  EXPECT_EQ(board_->read_mode().value(), board_->highest_mode());
}

TEST_F(LeaseThroughNvpmodel, ThatItCannotBeToldIsInTheReport) {
  auto lease = acquire();
  ASSERT_TRUE(lease->apply(preset("MODE_50W")));
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "pending_reboot"));
  const auto report = lease->release();
  EXPECT_FALSE(report.complete());
  EXPECT_THAT(report.summary(), HasSubstr("nvpmodel -m"));
  EXPECT_NE(test::slurp(simulated_->saved_path()), "<absent>") << "it is still owed";
  ASSERT_TRUE(simulated_->set(kSimulatedNvpmodel, "works"));
  const auto rest = restore_saved_knobs(*board_, simulated_->state_dir(), make_null_logger());
  ASSERT_TRUE(rest && rest->complete());
  EXPECT_EQ(status(), "pmode:0000");
}

TEST_F(LeaseThroughNvpmodel, ABoardWithoutACatalogueIsNotSetThroughIt) {
  simulated_->fault("/etc/nvpmodel.conf", Kind::absent);
  board_ = simulated_->discover();
  const auto lease = BoardLease::acquire(*board_, simulated_->state_dir(), make_null_logger(), program_);
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::unsupported);
  EXPECT_THAT(lease.error().to_string(), HasSubstr("apply: sysfs"));
}

}  // namespace
}  // namespace fulcrum

// The simulated nvpmodel as a program, through the code that runs the real one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "powermode/nvpmodel_output.h"
#include "powermode/nvpmodel_program.h"
#include "powermode/simulated_nvpmodel.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using test::SimulatedBoard;
using testing::HasSubstr;

class SimulatedNvpmodelProcess : public testing::Test {
 protected:
  void SetUp() override {
    test::spill(path_, "#!/bin/sh\nexec '" FULCRUM_BIN_DIR "/fulcrum-simboard' --state '" +
                           board_.state_path() + "' nvpmodel \"$@\"\n");
    ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);
  }

  const SimulatedBoard board_;
  const std::string path_ = board_.directory / "nvpmodel";
  const NvpmodelProgram program_{path_, std::chrono::seconds(60)};
};

TEST_F(SimulatedNvpmodelProcess, SetsAModeAndTellsIt) {
  const auto board = board_.discover();
  const auto set = program_.set(3);
  ASSERT_TRUE(set) << set.error().to_string();
  EXPECT_EQ(board->read_mode().value(), (PowerMode{12, 1497600, 828750000, 3199000000}));
  const auto query = program_.query();
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(query->mode_name, "MODE_50W");
  EXPECT_EQ(query->mode_id, 3);
}

TEST_F(SimulatedNvpmodelProcess, TakesAConfOfTheHosts) {
  const auto conf = board_.directory / "custom.conf";
  test::spill(conf, board_.tree->read("/etc/nvpmodel.conf").value() +
                        "< POWER_MODEL ID=14 NAME=CUSTOM >\nGPU MAX_FREQ 522750000\n");
  const auto set = program_.set(conf, 14);
  ASSERT_TRUE(set) << set.error().to_string();
  EXPECT_EQ(board_.discover()->read_mode()->gpu_hz, 522750000);
}

TEST_F(SimulatedNvpmodelProcess, IsNeverAnsweredWhenItAsks) {
  const auto set = program_.set(2);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::unsupported);
  EXPECT_THAT(set.error().to_string(), HasSubstr("takes a reboot"));
  EXPECT_EQ(board_.tree->state()->boots, 1);
}

TEST_F(SimulatedNvpmodelProcess, SaysWhyItFails) {
  board_.fault("/sys/*/tpc_pg_mask", SimulatedFault::Kind::write_error, "EBUSY");
  const auto set = program_.set(3);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().to_string(), HasSubstr("tpc_pg_mask: 16"));
}

// On one pipe the errors stand where they were said.
TEST_F(SimulatedNvpmodelProcess, WhatItMayNotReadComesBehindTheMode) {
  board_.fault(test::node::emc_cap, SimulatedFault::Kind::read_error, "EACCES");
  const auto query = program_.query();
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(query->errors.size(), 2U);
}

TEST_F(SimulatedNvpmodelProcess, OneThatHangsIsKilled) {
  ASSERT_TRUE(board_.set(kSimulatedNvpmodel, "hangs"));
  const auto query = NvpmodelProgram(path_, std::chrono::milliseconds(300)).query();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::timed_out);
}

}  // namespace
}  // namespace fulcrum

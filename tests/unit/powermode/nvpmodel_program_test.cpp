// The runner, over programs that behave as nvpmodel has been seen to.

#include "powermode/nvpmodel_program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <string>

#include "common/unique_fd.h"
#include "powermode/foreign_program.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using testing::HasSubstr;

class NvpmodelProgramTest : public testing::Test {
 protected:
  // A program that does as the shell commands say.
  NvpmodelProgram fake(const std::string& commands, Duration time_limit = std::chrono::seconds(30)) const {
    test::spill(path_, "#!/bin/sh\n" + commands);
    EXPECT_EQ(::chmod(path_.c_str(), 0755), 0);
    return NvpmodelProgram(path_, time_limit);
  }

  test::TempDir dir_;
  const std::string path_ = dir_ / "nvpmodel";
};

TEST_F(NvpmodelProgramTest, TellsTheModeThatWasAskedFor) {
  const auto query = fake("[ \"$*\" = -q ] && printf 'NV Power Mode: MODE_30W\\n2\\n'").query();
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(query->mode_name, "MODE_30W");
  EXPECT_EQ(query->mode_id, 2);
}

TEST_F(NvpmodelProgramTest, HandsOverTheModeAndTheConf) {
  const auto program = fake("echo \"$*\" >>" + (dir_ / "asked"));
  ASSERT_TRUE(program.set(3));
  ASSERT_TRUE(program.set("/x/custom.conf", 17));
  EXPECT_EQ(test::slurp(dir_ / "asked"), "-m 3\n-f /x/custom.conf -m 17\n");
}

// It asks on its standard input; whoever answers has the board reboot.
TEST_F(NvpmodelProgramTest, AQuestionGetsNoAnswer) {
  const auto set = fake(
                       "echo 'NVPM WARN: Reboot required for changing to this power mode: 1'\n"
                       "echo 'NVPM WARN: DO YOU WANT TO REBOOT NOW? enter YES/yes to confirm:'\n"
                       "if read answer; then echo \"NVPM WARN: rebooting..\"; exit 0; fi\n"
                       "echo 'NVPM ERROR: bad input!' >&2; exit 255\n")
                       .set(1);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::unsupported);
  EXPECT_THAT(set.error().to_string(), HasSubstr("takes a reboot"));
}

TEST_F(NvpmodelProgramTest, InAContainerItsExitStatusIsNotBelieved) {
  const auto set = fake("echo 'Running in chroot, ignoring request.'; exit 0").set(1);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().to_string(), HasSubstr("container"));
}

TEST_F(NvpmodelProgramTest, ItsFirstErrorIsToldWhicheverOutputItIsOn) {
  const auto set = fake(
                       "echo 'NVPM ERROR: Error writing 128 to /sys/devices/gpu.0/tpc_pg_mask: 16' >&2\n"
                       "echo 'NVPM ERROR: failed to set power mode!'; exit 255\n")
                       .set(1);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().to_string(), HasSubstr("tpc_pg_mask: 16"));
}

// What it started holds the lock of a file; when it is gone, the lock is free.
TEST_F(NvpmodelProgramTest, OneThatDoesNotEndIsKilledWithWhatItStarted) {
  const auto lock = dir_ / "lock";
  const auto query = fake("exec 9>" + lock + "; flock 9; sleep 1000 & wait", std::chrono::seconds(2)).query();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::timed_out);
  const UniqueFd file(::open(lock.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(file.valid()) << "it did not get as far as its child within its time";
  EXPECT_EQ(::flock(file.get(), LOCK_EX), 0);  // waits for the last that holds it
}

TEST_F(NvpmodelProgramTest, OneThatIsNotThereIsSaid) {
  const auto query = NvpmodelProgram(dir_ / "none").query();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::not_found);
  EXPECT_THAT(query.error().to_string(), HasSubstr("none"));
}

TEST_F(NvpmodelProgramTest, EndlessTalkIsCut) {
  fake("head -c 1000000 /dev/zero | tr '\\0' x");
  const auto run = powermode::run_foreign_program({path_}, std::chrono::seconds(30));
  ASSERT_TRUE(run) << run.error().to_string();
  EXPECT_EQ(run->output.size(), powermode::kMostOutputBytes);
  EXPECT_EQ(run->exit_status, 0);
}

TEST_F(NvpmodelProgramTest, TheSignalThatEndedItIsTold) {
  fake("kill -9 $$");
  EXPECT_EQ(powermode::run_foreign_program({path_}, std::chrono::seconds(30))->exit_status, 128 + 9);
}

}  // namespace
}  // namespace fulcrum

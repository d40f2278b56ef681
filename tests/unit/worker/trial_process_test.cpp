#include "worker/trial_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"
#include "worker/protocol.h"

namespace fulcrum::worker {
namespace {

using testing::HasSubstr;

// Programs that play the child: shell scripts whose descriptor 3 takes the verdict.
class TrialProcess : public ::testing::Test {
 protected:
  TrialProcess() {
    spec_.model.torchscript = "/m.pt";
    spec_.kind = TrainingSpec{};
  }
  std::vector<Error> run(const std::string& script, TrialLimits limits = {}) {
    const std::string path = directory_ / "child";
    test::spill(path, "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), 0700);
    return run_trial_process(spec_, ending_, limits, path);
  }
  std::string only_message(const std::string& script, TrialLimits limits = {}) {
    const auto faults = run(script, limits);
    EXPECT_EQ(faults.size(), 1U);
    if (faults.empty()) return "";
    EXPECT_EQ(faults.front().field, "/model/torchscript");
    return faults.front().message;
  }

  test::TempDir directory_;
  JobSpec spec_;
  std::atomic<bool> ending_{false};
};

TEST_F(TrialProcess, PassesTheSpecAndTheVerdict) {
  test::spill(directory_ / "verdict",
              to_line(FromWorker(JobChecked{0, {fail(ErrorCode::invalid_argument, "too round").value()}})));
  const auto faults = run(R"(grep -q '"torchscript":"/m.pt"' && [ "$1" = --try-job ] && cat )" +
                          (directory_ / "verdict") + " >&3");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().message, "too round");
}

TEST_F(TrialProcess, WithNothingToBlameHasNoFaults) {
  EXPECT_TRUE(run(R"(echo '{"type": "job_checked", "body": {"request": 0, "faults": []}}' >&3)").empty());
}

TEST_F(TrialProcess, WhatTheModelPrintsIsNoVerdict) {
  EXPECT_TRUE(
      run(R"(echo hello; echo '{"type": "job_checked", "body": {"request": 0, "faults": []}}' >&3)").empty());
}

TEST_F(TrialProcess, ThatCrashesIsTold) {
  EXPECT_THAT(only_message("kill -SEGV $$"), HasSubstr("its process died: Segmentation fault"));
}

TEST_F(TrialProcess, WithoutAVerdictIsTold) {
  EXPECT_THAT(only_message("exit 7"), HasSubstr("ended with status 7"));
}

TEST_F(TrialProcess, ThatHangsIsEnded) {
  EXPECT_THAT(only_message("exec sleep 1000", {std::chrono::milliseconds(20)}),
              HasSubstr("had not answered"));
}

TEST_F(TrialProcess, IsEndedWithTheWorker) {
  ending_ = true;
  EXPECT_FALSE(run("exec sleep 1000").empty());
}

TEST_F(TrialProcess, ThatCannotBeStartedIsTold) {
  const auto faults = run_trial_process(spec_, ending_, {}, directory_ / "absent");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace fulcrum::worker

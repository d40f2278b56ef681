#include "powermode/nvpmodel_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fulcrum {
namespace {

using testing::HasSubstr;

struct Query {
  const char* output;
  const char* mode_name;
  int mode_id;
  std::size_t errors;
};
class NvpmodelQueryOf : public testing::TestWithParam<Query> {};

TEST_P(NvpmodelQueryOf, FindsTheModeAmongOtherLines) {
  const auto query = parse_nvpmodel_query(GetParam().output);
  ASSERT_TRUE(query) << query.error().to_string();
  EXPECT_EQ(query->mode_name, GetParam().mode_name);
  EXPECT_EQ(query->mode_id, GetParam().mode_id);
  EXPECT_EQ(query->errors.size(), GetParam().errors);
}
INSTANTIATE_TEST_SUITE_P(
    Releases, NvpmodelQueryOf,
    testing::Values(Query{"NV Fan Mode:quiet\nNV Power Mode: MODE_15W_6CORE\n2\n", "MODE_15W_6CORE", 2, 0},
                    Query{"NVPM WARN: fan mode is not set!\nNV Power Mode: MAXN\n0\n", "MAXN", 0, 0},
                    Query{"NV Power Mode: 5W\n1\nNVPM ERROR: Error opening /sys/kernel/x: 13\n"
                          "NVPM ERROR: failed to read PARAM EMC\n",
                          "5W", 1, 2},
                    Query{"NVPM VERB: Config file: /etc/nvpmodel.conf\n"
                          "NVPM VERB: Current mode: NV Power Mode: 25W\n3\n",
                          "25W", 3, 0},
                    Query{"NV Power Mode: MODE_30W\r\n2\r\n", "MODE_30W", 2, 0},
                    Query{"NV Power Mode: MAXN_SUPER\n0010", "MAXN_SUPER", 10, 0}));

TEST(NvpmodelQuery, WithoutAModeTheFirstErrorSaysWhy) {
  EXPECT_FALSE(parse_nvpmodel_query(""));
  EXPECT_FALSE(parse_nvpmodel_query("NV Power Mode: 15W\nNVPM ERROR: x\n")) << "no id";
  const auto query = parse_nvpmodel_query("NVPM ERROR: cannot open /etc/nvpmodel.conf\n");
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().to_string(), HasSubstr("/etc/nvpmodel.conf"));
}

TEST(NvpmodelStatus, IsDecimalWhateverStandsBehindIt) {
  EXPECT_EQ(parse_nvpmodel_status("pmode:0002\n").value(), 2);
  EXPECT_EQ(parse_nvpmodel_status("pmode:0010 fmode:quiet\n").value(), 10) << "not octal";
  EXPECT_EQ(parse_nvpmodel_status("pmode:0001\nfmode:fanmode_quiet\n").value(), 1);
  for (const char* odd : {"", "pmode:", "pmode:x", "pmode:-1", "mode:1"})
    EXPECT_FALSE(parse_nvpmodel_status(odd)) << odd;
}

TEST(NvpmodelRun, AQuestionThatNobodyAnswersNeedsAReboot) {
  const auto run = judge_nvpmodel_run(
      "NVPM WARN: Golden image context is already created\n"
      "NVPM WARN: Reboot required for changing to this power mode: 1\n"
      "NVPM WARN: DO YOU WANT TO REBOOT NOW? enter YES/yes to confirm:\n"
      "NVPM ERROR: bad input!\nNVPM ERROR: optMask is 1, no request for power mode\n",
      1);
  EXPECT_EQ(run.outcome, NvpmodelOutcome::needs_reboot);
}

TEST(NvpmodelRun, InAContainerItsSuccessIsNone) {
  EXPECT_EQ(judge_nvpmodel_run("Running in chroot, ignoring request.\n", 0).outcome,
            NvpmodelOutcome::ignored);
}

TEST(NvpmodelRun, AnErrorIsAFailureWhateverTheStatus) {
  const auto run = judge_nvpmodel_run(
      "NVPM ERROR: Error writing 128 to /sys/devices/platform/gpu.0/tpc_pg_mask: 16\n"
      "NVPM ERROR: failed to set power mode!\n",
      0);
  EXPECT_EQ(run.outcome, NvpmodelOutcome::failed);
  EXPECT_EQ(run.reason, "Error writing 128 to /sys/devices/platform/gpu.0/tpc_pg_mask: 16");
}

TEST(NvpmodelRun, AStatusWithoutAWordIsAFailure) {
  EXPECT_THAT(judge_nvpmodel_run("", 255).reason, HasSubstr("255"));
}

TEST(NvpmodelRun, SilenceIsAcceptance) {
  EXPECT_EQ(judge_nvpmodel_run("", 0).outcome, NvpmodelOutcome::accepted);
  EXPECT_EQ(judge_nvpmodel_run("NVPM WARN: fan mode is not set!\n", 0).outcome, NvpmodelOutcome::accepted);
}

TEST(NvpmodelRun, OneThatRebootsTheBoardIsTold) {
  EXPECT_EQ(judge_nvpmodel_run("NVPM WARN: rebooting..\n", 0).outcome, NvpmodelOutcome::rebooting);
}

}  // namespace
}  // namespace fulcrum

// What real boards were seen to say, kept beside the checkout.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "powermode/nvpmodel_output.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

class NvpmodelSamples : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "no samples at '" << folder_ << "'; FULCRUM_SHARED_DATA names another place";
    }
  }

  std::string sample(const std::string& name) const { return test::slurp(folder_ + "/" + name); }

  // What stands between blank lines, without the comments.
  std::vector<std::string> blocks(const std::string& name) const {
    std::vector<std::string> blocks;
    std::istringstream lines(sample(name));
    bool begins = true;
    for (std::string line; std::getline(lines, line); begins = begins || line.empty()) {
      if (line.empty() || line.front() == '#') continue;
      if (std::exchange(begins, false)) blocks.emplace_back();
      blocks.back() += line + "\n";
    }
    return blocks;
  }

  const std::string folder_ = test::shared_data_dir() + "/jetson/samples";
};

TEST_F(NvpmodelSamples, QueriesOfAllReleasesAreUnderstood) {
  const std::vector<std::pair<std::string, int>> expected{
      {"MODE_15W_6CORE", 2}, {"MAXN", 0}, {"5W", 1}, {"MODE_30W", 2}, {"MAXN_SUPER", 2}};
  const auto said = blocks("nvpmodel-q_variants.txt");
  ASSERT_EQ(said.size(), expected.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto query = parse_nvpmodel_query(said[i]);
    ASSERT_TRUE(query) << said[i];
    EXPECT_EQ(std::pair(query->mode_name, query->mode_id), expected[i]);
    EXPECT_EQ(query->errors.empty(), said[i].find("ERROR") == std::string::npos) << said[i];
  }
}

TEST_F(NvpmodelSamples, VerboseQueriesAreUnderstood) {
  struct Sample {
    const char* file;
    const char* mode_name;
    int mode_id;
    std::size_t errors;
  };
  for (const auto& expected :
       {Sample{"nvpmodel-q-verbose_orin-nano-super_r36.4.3_root.txt", "25W", 1, 0},
        Sample{"nvpmodel-q-verbose_orin-nx-16gb-super_r36.5.0_nonroot.txt", "40W", 4, 0},
        Sample{"nvpmodel-q-verbose_orin-nx_jp5_nonroot_emc-EACCES.txt", "25W", 3, 2}}) {
    const auto query = parse_nvpmodel_query(sample(expected.file));
    ASSERT_TRUE(query) << expected.file;
    EXPECT_EQ(query->mode_name, expected.mode_name);
    EXPECT_EQ(query->mode_id, expected.mode_id);
    EXPECT_EQ(query->errors.size(), expected.errors) << expected.file;
  }
}

TEST_F(NvpmodelSamples, StatusFilesOfAllReleasesAreUnderstood) {
  std::vector<int> ids;
  std::istringstream lines(sample("var_lib_nvpmodel_status_variants.txt"));
  for (std::string line; std::getline(lines, line);) {
    // One has its second line and a remark of ours behind the first.
    const auto id = parse_nvpmodel_status(line.substr(0, line.find("\\n")));
    ASSERT_TRUE(id) << line;
    ids.push_back(*id);
  }
  EXPECT_EQ(ids, (std::vector<int>{0, 2, 0, 2, 1}));
}

TEST_F(NvpmodelSamples, WhatIsSaidOfAModeIsJudged) {
  const auto said = blocks("nvpmodel-m_reboot-prompt.txt");
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(judge_nvpmodel_run(said[0], 255).outcome, NvpmodelOutcome::needs_reboot);
  EXPECT_EQ(judge_nvpmodel_run(said[1], 255).outcome, NvpmodelOutcome::needs_reboot);
  EXPECT_EQ(judge_nvpmodel_run(said[2], 0).outcome, NvpmodelOutcome::rebooting);
  EXPECT_EQ(judge_nvpmodel_run(said[3], 0).outcome, NvpmodelOutcome::ignored);
}

TEST_F(NvpmodelSamples, FailuresAreToldByTheirFirstError) {
  const auto said = blocks("nvpmodel_failures.txt");
  ASSERT_EQ(said.size(), 4U);
  const char* errors[] = {": 16", ": 19", ": 2", ": 2"};
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto run = judge_nvpmodel_run(said[i], 255);
    EXPECT_EQ(run.outcome, NvpmodelOutcome::failed);
    EXPECT_EQ(run.reason.rfind("Error ", 0), 0U) << run.reason;
    EXPECT_EQ(run.reason.substr(run.reason.rfind(':')), errors[i]);
  }
}

}  // namespace
}  // namespace fulcrum

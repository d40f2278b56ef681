#include "eval/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "eval/summary.h"
#include "eval/table_file.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result solved(double loss_pct = 25) {
  Result result;
  result.scenario = "concurrent";
  result.policy = "managed";
  result.train_workload = "net";
  result.infer_workload = "cam";
  result.power_budget_w = 30;
  result.latency_budget_ms = 500;
  result.arrival_rate_hz = 60;
  result.strategy = "gmd";
  result.seed = 7;
  result.status = Status::solved;
  result.answer = Answered{{4, 100, 200, 300}, 16, 3, 11.25, 312.5, 28.75};
  result.profiles = 20;
  result.modes = 10;
  result.optimal_value = 15;
  result.loss_pct = loss_pct;
  result.decision_ms = .5;
  return result;
}

TEST(Results, HaveTheColumnsThatScriptsRely) {
  EXPECT_EQ(csv_header(),
            "scenario,policy,train_workload,infer_workload,power_budget_w,latency_budget_ms,arrival_rate_hz,"
            "strategy,seed,status,cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,train_per_window,"
            "train_throughput_hz,latency_ms,power_w,profiles,modes,optimal_value,loss_pct,decision_ms");
  EXPECT_EQ(
      to_csv(solved()),
      "concurrent,managed,net,cam,30,500,60,gmd,7,solved,4,100,200,300,16,3,11.25,312.5,28.75,20,10,15,25,"
      "0.5");
}

TEST(Results, LeaveEmptyWhatHasNoMeaning) {
  Result result = solved();
  result.scenario = "train";
  result.infer_workload = "";
  EXPECT_EQ(to_csv(result),
            "train,managed,net,,30,,,gmd,7,solved,4,100,200,300,,,11.25,,28.75,20,10,15,25,0.5");
  result.status = Status::missed;
  result.answer.reset();
  result.loss_pct.reset();
  EXPECT_EQ(to_csv(result), "train,managed,net,,30,,,gmd,7,missed,,,,,,,,,,20,10,15,,0.5");
}

TEST(Results, AreReadAsTheyWereWritten) {
  const test::TempDir dir;
  Result missed = solved();
  missed.status = Status::missed;
  missed.answer.reset();
  missed.loss_pct.reset();
  std::ostringstream text;
  write_results(text, {solved(), missed});
  test::spill(dir / "results.csv", text.str());
  const auto read = read_results(dir / "results.csv");
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(to_csv(read->front()), to_csv(solved()));
  EXPECT_EQ(to_csv(read->back()), to_csv(missed));
}

TEST(Results, TellFileAndLineOfAMalformedRow) {
  const test::TempDir dir;
  const auto path = dir / "results.csv";
  const auto error_of = [&path](const std::string& row) {
    test::spill(path, csv_header() + "\n" + row + "\n");
    const auto read = read_results(path);
    return read ? "none" : read.error().to_string();
  };
  EXPECT_THAT(error_of("a,b"), HasSubstr(path + ":2: 2 columns, not 24"));
  auto row = to_csv(solved());
  EXPECT_THAT(error_of(row.replace(row.find("solved"), 6, "solvd")), HasSubstr(":2: status is 'solvd'"));
  row = to_csv(solved());
  EXPECT_THAT(error_of(row.replace(row.find(",30,"), 4, ",x,")), HasSubstr(":2: power_budget_w is 'x'"));
  test::spill(path, "scenario\n");
  EXPECT_THAT(read_results(path).error().message, HasSubstr(":1: the header is not"));
}

TEST(Summaries, CountWhatWasSolvedMissedAndViolated) {
  Result missed = solved();
  missed.status = Status::missed;
  missed.loss_pct.reset();
  Result violated = missed;
  violated.status = Status::violated;
  violated.excess = .02;
  Result slightly = violated;
  slightly.excess = .001;
  Result infeasible = missed;
  infeasible.status = Status::infeasible;
  infeasible.optimal_value.reset();
  const auto summaries =
      summarize({solved(10), solved(30), solved(80), missed, violated, slightly, infeasible});
  ASSERT_EQ(summaries.size(), 1U);
  const auto& s = summaries[0];
  EXPECT_EQ(s.problems, 7U);
  EXPECT_EQ(s.solvable, 6U);
  EXPECT_EQ(s.solved, 3U);
  EXPECT_EQ(s.missed, 1U);
  EXPECT_EQ(s.violations, 2U);
  EXPECT_EQ(s.violations_beyond_1_pct, 1U);
  EXPECT_EQ(s.median_loss_pct, 30);
  EXPECT_EQ(s.mean_loss_pct, 40);
  EXPECT_EQ(s.total_profiles, 140U);
}

TEST(Summaries, AddOneOverAllWorkloadsOfAScenario) {
  Result other = solved(50);
  other.infer_workload = "eye";
  Result train = solved();
  train.scenario = "train";
  train.infer_workload = "";
  const auto summaries = summarize({train, solved(), other});
  std::vector<std::string> names;
  names.reserve(summaries.size());
  for (const auto& s : summaries)
    names.push_back(s.scenario + ": " + s.workloads());
  EXPECT_THAT(names,
              ElementsAre("train: net", "concurrent: net + cam", "concurrent: net + eye", "concurrent: all"));
  EXPECT_EQ(summaries.back().solved, 2U);
}

}  // namespace
}  // namespace fulcrum::eval

// fulcrum-eval as a user runs it: the program itself, on tables in a folder.

#include "eval/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/json_text.h"
#include "common/version.h"
#include "eval/result.h"
#include "eval/table_file.h"
#include "small_tables.h"
#include "tests/support/temp_dir.h"

namespace fulcrum::eval {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

Run run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  const int status = run_program(arguments, terminal, nullptr);
  return {status, out.str(), err.str()};
}

void write_table(const std::string& folder, const Table& table) {
  std::ofstream file(folder + "/" + table_file_name(table.workload(), table.task()));
  file << "cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w\n";
  for (const auto& row : table.rows()) {
    const auto& m = row.mode;
    file << m.cpu_cores << ',' << m.cpu_khz << ',' << m.gpu_hz << ',' << m.emc_hz << ',' << row.batch_size
         << ',' << row.p50_ms << ',' << row.power_w << '\n';
  }
}

class Program : public ::testing::Test {
 protected:
  Program() {
    write_table(tables_.path(), small_table("net", WorkloadTask::training));
    write_table(tables_.path(), small_table("deep", WorkloadTask::training, 2));
    write_table(tables_.path(), small_table("cam", WorkloadTask::inference, 1));
  }

  std::vector<std::string> on_tables(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"run", "--tables", tables_.path(), "--power", "10:34:6"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  const test::TempDir tables_;
  const test::TempDir out_;
};

TEST_F(Program, EvaluatesAndDrawsAsTheInstalledProgram) {
  const std::string csv = out_ / "results.csv";
  const std::string visits = out_ / "visits.csv";
  const std::string program = std::string(FULCRUM_BIN_DIR) + "/fulcrum-eval";
  const auto succeeds = [](const std::string& command) {
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return std::string("popen failed");
    std::string output;
    std::array<char, 4096> chunk{};
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe))
      output.append(chunk.data(), n);
    const int status = ::pclose(pipe);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? output : "failed: " + output;
  };
  const auto table =
      succeeds(program + " run --tables " + tables_.path() +
               " --power 10:34:6 --sample .05 --strategy gmd,rnd5 --out " + csv + " --visits " + visits);
  // What a library of the machine writes on stderr is none of its business.
  EXPECT_THAT(table, AllOf(HasSubstr("scenario    workloads"), Not(HasSubstr("\r"))))
      << "no progress in a pipe";
  EXPECT_THAT(table, HasSubstr("deep + cam"));
  const auto pictures = succeeds(program + " plot " + csv + " --tables " + tables_.path() +
                                 " --grid full --visits " + visits + " --out " + (out_ / "pictures"));
  EXPECT_THAT(pictures, HasSubstr("losses-concurrent-managed.svg"));
  EXPECT_TRUE(std::filesystem::exists(out_ / "pictures/front-train-net.svg")) << pictures;
}

TEST_F(Program, WritesARowForEachProblemAndStrategy) {
  const std::string csv = out_ / "results.csv";
  const auto ran = run(on_tables({"--scenario", "train", "--strategy", "gmd,rnd5,rnd-5", "--out", csv}));
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto results = read_results(csv).value();
  EXPECT_EQ(results.size(), 5U * 2 * 2) << "budgets, workloads, strategies (rnd5 is rnd-5)";
  EXPECT_EQ(results[1].strategy, "rnd-5");
}

TEST_F(Program, PrintsJsonForScripts) {
  const auto ran =
      run(on_tables({"--scenario", "concurrent", "--train", "net", "--strategy", "gmd", "--json"}));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = parse_json(ran.out).value();
  ASSERT_EQ(json["summary"].size(), 1U);
  EXPECT_EQ(json["summary"][0]["strategy"], "gmd");
  EXPECT_EQ(json["summary"][0]["train_workload"], "net");
  EXPECT_EQ(json["summary"][0]["infer_workload"], "cam");
  EXPECT_EQ(json["summary"][0]["problems"], 5 * 16 * 10);
}

TEST_F(Program, ComparesThePolicies) {
  const auto arguments = on_tables({"--scenario", "concurrent", "--train", "net", "--strategy", "maxn",
                                    "--sample", ".2", "--policy", "managed,slack"});
  EXPECT_THAT(run(arguments).out, HasSubstr("slack over managed"));
  auto for_scripts = arguments;
  for_scripts.emplace_back("--json");
  const auto json = parse_json(run(for_scripts).out).value();
  EXPECT_EQ(json["summary"].size(), 2U) << "a policy each";
  ASSERT_EQ(json["slack_over_managed"].size(), 2U);
  EXPECT_EQ(json["slack_over_managed"][0]["of"], "optimum");
  EXPECT_GE(json["slack_over_managed"][0]["least"], 1 - 1e-9);
}

TEST_F(Program, SearchesTheSimulatedBoardWithoutTables) {
  const auto ran = run({"run", "--scenario", "train", "--power", "20:40:10", "--strategy",
                        "gmd,rnd-20,bs,maxn,preset,exhaustive", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(parse_json(ran.out).value()["summary"].size(), 4U * 6) << "three classes and all of them";
}

TEST_F(Program, SaysNothingButTheTable) {
  EXPECT_EQ(run(on_tables({"--scenario", "train", "--strategy", "gmd"})).err, "");
}

TEST_F(Program, SuggestsAWorkloadThatIsThere) {
  const auto ran = run(on_tables({"--scenario", "train", "--train", "nat"}));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("no table for training of 'nat'"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'net'?"));
  EXPECT_THAT(run(on_tables({"--train", "resnet"})).err, HasSubstr("known: deep, net"));
}

TEST_F(Program, RefusesWhatMakesNoSense) {
  EXPECT_EQ(run(on_tables({"--strategy", "gdm"})).status, 2);
  EXPECT_EQ(run(on_tables({"--policy", "greedy"})).status, 2);
  EXPECT_EQ(run(on_tables({"--rate", "9:1:1"})).status, 2);
  EXPECT_EQ(run(on_tables({"--sample", "0"})).status, 2);
  EXPECT_EQ(run(on_tables({"--grid", "442"})).status, 2);
  EXPECT_EQ(run({}).status, 2);
  const auto percent = run(on_tables({"--noise-time", "3"}));
  EXPECT_EQ(percent.status, 2);
  EXPECT_THAT(percent.err, HasSubstr("3 % are 0.03"));
}

TEST_F(Program, FailsWhereAFileCannotBeReadOrWritten) {
  EXPECT_EQ(run({"run", "--tables", out_ / "nowhere"}).status, 1);
  EXPECT_EQ(run(on_tables({"--out", out_ / "nowhere/results.csv"})).status, 1);
  EXPECT_EQ(run({"plot", out_ / "nowhere.csv", "--out", out_.path()}).status, 1);
  test::spill(tables_ / "net-train.csv", "cpu_cores\n");
  const auto malformed = run(on_tables({"--scenario", "train"}));
  EXPECT_EQ(malformed.status, 1);
  EXPECT_THAT(malformed.err, HasSubstr("net-train.csv:1: the header"));
}

TEST_F(Program, KeepsEarlierResultsWhenAStrategyIsMisspelt) {
  test::spill(out_ / "results.csv", "precious");
  EXPECT_EQ(run(on_tables({"--strategy", "gdm", "--out", out_ / "results.csv"})).status, 2);
  EXPECT_EQ(test::slurp(out_ / "results.csv"), "precious");
}

TEST_F(Program, HelpsAndTellsItsVersion) {
  const auto help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit status: 0 ok; 1 "));
  EXPECT_THAT(run({"--version"}).out, HasSubstr(kVersion));
}

}  // namespace
}  // namespace fulcrum::eval

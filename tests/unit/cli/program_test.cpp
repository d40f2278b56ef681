#include "cli/program.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/run_cli.h"
#include "tests/unit/daemon/server_thread.h"

namespace fulcrum::cli {
namespace {

using test::FakeControl;
using test::ServerThread;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ProgramTest : public testing::Test {
 protected:
  // fulcrumctl with the test's socket.
  int run(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.insert(arguments.begin(), {"--socket", server_.path()});
    return run_bare(std::move(arguments), input);
  }
  int run_bare(std::vector<std::string> arguments, const std::string& input = {}) {
    const auto done = run_cli(std::move(arguments), input);
    out_ = done.out;
    err_ = done.err;
    return done.status;
  }

  static constexpr const char* kSpec =
      "kind: training\nname: fashion\nmodel: {builtin: lenet5}\n"
      "dataset: {format: idx, images: i.gz, labels: /l.gz}\n";

  ServerThread server_;
  std::string out_;
  std::string err_;
};

TEST_F(ProgramTest, HelpNamesTheExitStatuses) {
  EXPECT_EQ(run_bare({"--help"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("Exit status"), HasSubstr("submit"), HasSubstr("budget"),
                          HasSubstr("profile"), HasSubstr("FULCRUM_SOCKET")));
}

TEST_F(ProgramTest, VersionNeedsNoDaemon) {
  EXPECT_EQ(run_bare({"--version"}), 0);
  EXPECT_THAT(out_, StartsWith("fulcrumctl "));
}

TEST_F(ProgramTest, WrongUsageIsTwo) {
  EXPECT_EQ(run_bare({}), 2);
  EXPECT_EQ(run_bare({"lst"}), 2);
  EXPECT_EQ(run_bare({"get"}), 2);
  EXPECT_EQ(run_bare({"list", "--oddity"}), 2);
  EXPECT_NE(err_, "");
}

TEST_F(ProgramTest, NoDaemonIsThree) {
  EXPECT_EQ(run_bare({"--socket", "/nonexistent/s", "list"}), 3);
  EXPECT_THAT(err_, HasSubstr("is fulcrumd running?"));
}

TEST_F(ProgramTest, SubmitsAYamlSpecWithAbsolutePaths) {
  EXPECT_EQ(run({"submit", "-", "--token", "t"}, kSpec), 0) << err_;
  EXPECT_EQ(out_, "job 1 is submitted\n");
  const auto& request = server_.control().submitted.at(0);
  EXPECT_EQ(request.client_token, "t");
  EXPECT_EQ(request.spec.at("dataset").at("images").get<std::string>().front(), '/');
}

TEST_F(ProgramTest, ADryRunSubmitsNothing) {
  server_.control().submit_answer = Json{{"dry_run", true}};
  EXPECT_EQ(run({"submit", "--dry-run", "-"}, kSpec), 0);
  EXPECT_TRUE(server_.control().submitted.at(0).dry_run);
  EXPECT_THAT(out_, HasSubstr("nothing was submitted"));
}

TEST_F(ProgramTest, ADryRunTellsWhatASearchWouldCost) {
  server_.control().submit_answer =
      Json{{"dry_run", true}, {"search", {{"probes_at_most", 55}, {"seconds_at_most", 84}}}};
  EXPECT_EQ(run({"submit", "--dry-run", "-"}, kSpec), 0);
  EXPECT_THAT(out_, HasSubstr("at most 55 probes, 84 s"));
}

TEST_F(ProgramTest, EachFaultOfARefusedSpecIsALine) {
  EXPECT_EQ(run({"submit", "-"}, std::string(kSpec) + "epoch: 2\nbatch_size: 0\n"), 1);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(err_,
            "fulcrumctl: epoch: unknown field 'epoch' (did you mean 'epochs'?)\n"
            "fulcrumctl: batch_size: must be at least 1, is 0\n");
}

TEST_F(ProgramTest, ASpecThatIsMissingIsOne) {
  EXPECT_EQ(run({"submit", "/nonexistent.yaml"}), 1);
  EXPECT_THAT(err_, HasSubstr("/nonexistent.yaml"));
}

TEST_F(ProgramTest, SubmitAndWaitFollowsTheJobToItsEnd) {
  server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "running")});
  server_.control().first_events = {Json{{"job", 1}, {"event", "state"}, {"state", "done"}}};
  EXPECT_EQ(run({"submit", "--wait", "-"}, kSpec), 0);
  EXPECT_THAT(out_, HasSubstr("job 1  done"));
}

TEST_F(ProgramTest, WatchOfAFailedJobIsOne) {
  server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "failed")});
  server_.control().first_events = {
      Json{{"job", 1}, {"event", "state"}, {"state", "failed"}, {"error", "why"}}};
  EXPECT_EQ(run({"watch", "fashion"}), 1);
  EXPECT_THAT(err_, HasSubstr("job 1 failed: why"));
}

TEST_F(ProgramTest, ListShowsJobs) {
  server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "running")});
  EXPECT_EQ(run({"list"}), 0);
  EXPECT_THAT(out_, HasSubstr("fashion"));
}

TEST_F(ProgramTest, WithJsonTheResultIsWhatTheDaemonSaid) {
  server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "running")});
  EXPECT_EQ(run({"list", "--json"}), 0);
  EXPECT_EQ(Json::parse(out_).at("jobs"), server_.control().job_list);
}

TEST_F(ProgramTest, AJobIsFoundByItsName) {
  server_.control().job_list = Json::array(
      {FakeControl::summary(1, "fashion", "running"), FakeControl::summary(2, "camera", "running")});
  EXPECT_EQ(run({"cancel", "camera"}), 0);
  EXPECT_EQ(out_, "job 2 is cancelled\n");
}

TEST_F(ProgramTest, ANameThatSeveralJobsHaveIsRefusedWithTheirNumbers) {
  server_.control().job_list = Json::array(
      {FakeControl::summary(1, "fashion", "done"), FakeControl::summary(2, "fashion", "running")});
  EXPECT_EQ(run({"get", "fashion"}), 1);
  EXPECT_THAT(err_, HasSubstr("1, 2"));
}

TEST_F(ProgramTest, AnUnknownNameIsRefusedWithTheNearest) {
  server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "done")});
  EXPECT_EQ(run({"get", "fashon"}), 1);
  EXPECT_THAT(err_, HasSubstr("did you mean 'fashion'?"));
}

TEST_F(ProgramTest, AnUnknownNumberIsRefused) {
  EXPECT_EQ(run({"get", "7"}), 1);
  EXPECT_THAT(err_, HasSubstr("there is no job 7"));
}

TEST_F(ProgramTest, EveryOtherCommandAnswers) {
  server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "done")});
  server_.control().job_list[0]["result"] = {{"accuracy", 0.87}};
  EXPECT_EQ(run({"result", "1"}), 0);
  EXPECT_EQ(out_, "accuracy  0.87\n");
  EXPECT_EQ(run({"plan"}), 0);
  EXPECT_EQ(run({"board"}), 0);
  EXPECT_EQ(run({"version"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("fulcrumctl"), HasSubstr("fulcrumd")));
  EXPECT_EQ(run({"describe"}), 0);
  EXPECT_THAT(out_, HasSubstr("job.submit"));
  EXPECT_EQ(run({"describe", "job.get"}), 0);
  EXPECT_EQ(Json::parse(out_).at("name"), "job.get");
}

}  // namespace
}  // namespace fulcrum::cli

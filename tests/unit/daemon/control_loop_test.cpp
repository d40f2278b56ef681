// The control loop over a simulated board and a scripted worker.

#include "daemon/control_loop.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/unit/daemon/test_daemon.h"

namespace fulcrum::daemon {
namespace {

using test::inference_spec;
using test::training_spec;
using Daemon = test::TestDaemon;

class Control : public testing::Test {
 protected:
  test::TempDir dir_;
};

TEST_F(Control, RunsATrainingJobToItsEnd) {
  Daemon daemon(dir_.path(), "works");
  const auto job = daemon.submitted(training_spec());
  daemon.run_until_state(job, "done");
  EXPECT_EQ(daemon.control().result(job)->at("result").at("accuracy"), 0.5);
  const auto progress = daemon.control().job(job)->at("progress");
  EXPECT_EQ(progress.at("minibatch"), 9);
  EXPECT_TRUE(progress.at("energy_j").is_number());
  EXPECT_TRUE(daemon.control().result(job)->at("result").at("device_s").is_number());
  EXPECT_FALSE(daemon.holds_board()) << "given back with the last job";
  EXPECT_EQ(daemon.status(), "no job runs");
}

TEST_F(Control, PlansAndHoldsTheBoardWhileAJobRuns) {
  Daemon daemon(dir_.path(), "works");
  const auto job = daemon.submitted(inference_spec());
  daemon.run_until([&] { return !daemon.control().plan().at("plan").is_null(); });
  const auto plan = daemon.control().plan().at("plan");
  EXPECT_EQ(plan.at("mode_name"), "MODE_50W");
  EXPECT_EQ(plan.at("inference").at(0).at("job"), job);
  EXPECT_TRUE(daemon.holds_board());
  EXPECT_EQ(daemon.control().board()->at("mode"), plan.at("mode"));
}

TEST_F(Control, CancellingIsDurableAndKeepsWhatWasAchieved) {
  {
    Daemon daemon(dir_.path(), "works");
    const auto job = daemon.submitted(inference_spec());
    daemon.run_until_state(job, "running");
    ASSERT_TRUE(daemon.control().cancel(job));
    EXPECT_EQ(daemon.state_of(job), "cancelled");
    EXPECT_FALSE(daemon.control().cancel(job)) << "it has ended";
    daemon.run_until([&] { return daemon.control().result(job).has_value(); });
    EXPECT_EQ(daemon.control().result(job)->at("result").at("minibatch"), 8);
  }
  Daemon again(dir_.path(), "works");
  EXPECT_EQ(again.state_of(1), "cancelled");
}

TEST_F(Control, TakesUnfinishedJobsUpAgain) {
  {
    Daemon daemon(dir_.path(), "works");
    daemon.run_until_state(daemon.submitted(inference_spec()), "running");
  }
  Daemon again(dir_.path(), "works");
  EXPECT_EQ(again.control().jobs().at("jobs").size(), 1U);
  again.run_until_state(1, "running");
}

TEST_F(Control, ToldFaultsRefuseTheJob) {
  Daemon daemon(dir_.path(), "finds");
  const auto answer = daemon.submit(training_spec());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().front().field, "/dataset/images");
  EXPECT_TRUE(daemon.control().jobs().at("jobs").empty());
}

TEST_F(Control, ADryRunLeavesNoJob) {
  Daemon daemon(dir_.path(), "works");
  EXPECT_EQ(daemon.submit(training_spec(), std::nullopt, true).value(),
            Json({{"dry_run", true}, {"search", nullptr}}));
  EXPECT_TRUE(daemon.control().jobs().at("jobs").empty());
}

TEST_F(Control, TheSameTokenIsTheSameJob) {
  Daemon daemon(dir_.path(), "works");
  const auto first = daemon.submit(training_spec(), "a").value();
  EXPECT_EQ(daemon.submit(training_spec(), "a").value(), first);
  const auto other = daemon.submit(inference_spec(), "a");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().front().code, ErrorCode::already_exists);
}

TEST_F(Control, AClassThatTheBoardDoesNotKnowIsRefused) {
  Daemon daemon(dir_.path(), "works");
  auto spec = training_spec();
  spec["class"] = "heavy-cn";
  const auto answer = daemon.submit(spec);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().front().field, "/class");
}

TEST_F(Control, AStrategyThatThereIsNotIsRefused) {
  Daemon daemon(dir_.path(), "works");
  auto spec = training_spec();
  spec["strategy"] = "gdm";
  const auto answer = daemon.submit(spec);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().front().field, "/strategy");
  EXPECT_EQ(answer.error().front().hint, "did you mean 'gmd'?");
}

TEST_F(Control, AJobThatKeepsKillingTheWorkerIsGivenUp) {
  Daemon daemon(dir_.path(), "dies");
  const auto job = daemon.submitted(training_spec());
  daemon.run_until_state(job, "failed");
  const std::string error = daemon.control().job(job)->at("error");
  EXPECT_NE(error.find("died 5 times"), std::string::npos) << error;
  EXPECT_FALSE(daemon.holds_board());
}

// A job named "bad" takes the worker with it; the others go on.
void expect_that_the_bad_one_fails(Daemon& daemon, const std::string& how) {
  const auto camera = daemon.submitted(inference_spec());
  auto spec = training_spec();
  spec["name"] = "bad";
  const auto bad = daemon.submitted(spec);
  std::vector<Json> faults;
  const auto watching = daemon.control().watch(bad, [&faults](const Json& event) {
    if (event.contains("fault")) faults.push_back(event.at("fault"));
  });
  ASSERT_TRUE(watching);
  daemon.run_until_state(bad, "failed");
  const std::string error = daemon.control().job(bad)->at("error");
  EXPECT_THAT(error, testing::HasSubstr("the worker died 3 times in a row of it; the last time it " + how));
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults.back().at("in_a_row"), 3);
  daemon.run_until_state(camera, "running");
}

TEST_F(Control, AJobThatCrashesTheWorkerThreeTimesFailsAlone) {
  Daemon daemon(dir_.path(), "crashes");
  expect_that_the_bad_one_fails(daemon, "was killed by signal 6");
}

TEST_F(Control, AJobWhoseStepsDoNotEndFailsAlone) {
  Daemon daemon(dir_.path(), "hangs", [](DaemonConfig& config) { config.worker.step_timeout_s = 1; });
  expect_that_the_bad_one_fails(daemon,
                                "was killed by signal 9 (Killed), because a step of job 2 has not ended");
}

// The simulated board has 30,622 MiB, of which 23,558 are available.
class MemoryOfJobs : public Control {
 protected:
  void SetUp() override {
    auto book = ProfileBook::open(dir_ / "profiles.db", "agx-orin", {true, 1});
    ASSERT_TRUE(book);
    for (const auto& job : {training_spec(), inference_spec()})
      ASSERT_TRUE(book->keep_memory(JobSpec::from_json(job).value(), std::int64_t{300} << 20));
  }
  static void leave_400_mib(DaemonConfig& config) { config.worker.memory_headroom_mb = 23'158; }
};

TEST_F(MemoryOfJobs, WhatCanNeverFitIsRefusedWithTheFigures) {
  Daemon daemon(dir_.path(), "works",
                [](DaemonConfig& config) { config.worker.memory_headroom_mb = 30'500; });
  const auto answer = daemon.submit(training_spec());
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().front().message,
              testing::HasSubstr("needs 300 MiB of memory, as was measured before; the board has 30622 MiB"));
  auto another = training_spec();
  another["batch_size"] = 4;
  EXPECT_TRUE(daemon.submit(another)) << "of which nothing is known";
}

TEST_F(MemoryOfJobs, ASafeRetryIsNotRefusedForWhatWasMeasuredMeanwhile) {
  auto spec = training_spec();
  spec["batch_size"] = 4;  // not measured yet
  const auto leave_little = [](DaemonConfig& config) { config.worker.memory_headroom_mb = 30'500; };
  Json first;
  {
    Daemon daemon(dir_.path(), "works", leave_little);
    first = daemon.submit(spec, "token").value();
  }
  auto book = ProfileBook::open(dir_ / "profiles.db", "agx-orin", {true, 1});
  ASSERT_TRUE(book->keep_memory(JobSpec::from_json(spec).value(), std::int64_t{300} << 20));
  Daemon daemon(dir_.path(), "works", leave_little);
  EXPECT_FALSE(daemon.submit(spec));
  EXPECT_EQ(daemon.submit(spec, "token").value(), first);
}

TEST_F(MemoryOfJobs, WhatDoesNotFitNowWaitsWithTheFigures) {
  Daemon daemon(dir_.path(), "works",
                [](DaemonConfig& config) { config.worker.memory_headroom_mb = 23'400; });
  const auto job = daemon.submitted(training_spec());
  daemon.run_until([&] { return daemon.control().job(job)->at("progress").contains("waiting_for"); });
  EXPECT_EQ(daemon.control().job(job)->at("progress").at("waiting_for"),
            "memory: it needs 300 MiB, and 23558 MiB are available; 23400 MiB stay free");
  EXPECT_EQ(daemon.state_of(job), "queued");
}

TEST_F(MemoryOfJobs, AreLoadedOneAfterTheOtherWhereBothMayNotFit) {
  Daemon daemon(dir_.path(), "lasts", leave_400_mib);
  bool waited = false;
  ASSERT_TRUE(daemon.control().watch(std::nullopt, [&waited](const Json& event) {
    const auto why = event.at("progress").value("waiting_for", "");
    waited = waited || why.find("300 MiB of them promised") != std::string::npos;
  }));
  int answers = 0;
  for (const auto& spec : {inference_spec(), training_spec()})
    daemon.control().submit({spec, std::nullopt, false}, [&answers](const Checked<Json>&) { ++answers; });
  daemon.run_until([&answers] { return answers == 2; });
  daemon.run_until_state(1, "running");
  daemon.run_until_state(2, "running");
  EXPECT_TRUE(waited);
}

TEST_F(Control, AWatcherSeesTheLifeOfAJob) {
  Daemon daemon(dir_.path(), "works");
  std::vector<std::string> states;
  ASSERT_TRUE(daemon.control().watch(std::nullopt, [&](const Json& event) {
    if (event.at("event") == "state") states.push_back(event.at("state"));
  }));
  daemon.run_until_state(daemon.submitted(training_spec()), "done");
  EXPECT_EQ(states, (std::vector<std::string>{"queued", "starting", "running", "done"}));
}

TEST_F(Control, AnUnknownJobIsSaid) {
  Daemon daemon(dir_.path(), "works");
  EXPECT_EQ(daemon.control().job(9).error().code, ErrorCode::not_found);
  EXPECT_EQ(daemon.control().cancel(9).error().code, ErrorCode::not_found);
  EXPECT_EQ(daemon.control().result(9).error().code, ErrorCode::not_found);
  EXPECT_EQ(daemon.control().watch(9, [](const Json&) {}).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace fulcrum::daemon

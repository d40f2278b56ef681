// The pilot at work, inside a control loop over a simulated board and a scripted worker.

#include "daemon/pilot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "powermode/simulated_file_tree.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/daemon/test_daemon.h"

namespace fulcrum::daemon {
namespace {

using test::inference_spec;
using test::TestDaemon;
using test::training_spec;

// Of the searching tests: few modes and short probes.
void search(DaemonConfig& config) {
  config.mode = "auto";
  config.scheduler.most_modes = 2;
  config.profiler.measure_s = 0.1;
}

constexpr PowerMode kFast{8, 1344000, 726750000, 2133000000};
constexpr PowerMode kSlow{4, 422400, 114750000, 665600000};

class PilotTest : public testing::Test {
 protected:
  // As if the training had been measured in this mode.
  void know(const PowerMode& mode, double ms, double power_w, const Json& job = training_spec()) {
    auto book = ProfileBook::open(dir_ / "profiles.db", "agx-orin", {true, 1});
    ASSERT_TRUE(book);
    const auto spec = JobSpec::from_json(job).value();
    profiler::Measurement measurement;
    measurement.key = book->key_of(spec, mode, spec.batch_sizes().front());
    measurement.minibatches = 40;
    measurement.time = {ms, ms, ms, 0};
    measurement.power_w = power_w;
    measurement.cost_s = 1;
    for (measurement.measured_at_ms = 1; measurement.measured_at_ms <= 2; ++measurement.measured_at_ms)
      ASSERT_TRUE(book->add(measurement));  // twice, so that nothing has to be confirmed
    ASSERT_TRUE(book->keep_kappa(spec, 0.25));
  }

  test::TempDir dir_;
};

TEST_F(PilotTest, SearchesForTheModeBeforeTheJobRuns) {
  TestDaemon daemon(dir_.path(), "works", search);
  std::vector<std::string> states;
  int measured = 0;
  ASSERT_TRUE(daemon.control().watch(std::nullopt, [&](const Json& event) {
    if (event.at("event") == "state") states.push_back(event.at("state"));
    if (event.at("event") == "probe" && event.at("probe").at("state") == "measured") ++measured;
  }));
  daemon.run_until_state(daemon.submitted(training_spec()), "done");
  EXPECT_EQ(states, (std::vector<std::string>{"queued", "starting", "profiling", "running", "done"}));
  EXPECT_GE(measured, 3) << "two modes, and the better one again";
  EXPECT_EQ(daemon.control().list_profiles(std::nullopt)->at("profiles").size(), 2U);
  EXPECT_FALSE(daemon.holds_board());
}

// ---- what the worker has to think out ----

void learn(DaemonConfig& config) {
  search(config);
  config.scheduler.strategy = "als";
}

TEST_F(PilotTest, MeasuresWhatTheWorkerThinksOut) {
  TestDaemon daemon(dir_.path(), "muses", learn);
  daemon.run_until_state(daemon.submitted(training_spec()), "done");
  EXPECT_EQ(daemon.control().list_profiles(std::nullopt)->at("profiles").size(), 2U);
}

TEST_F(PilotTest, SettlesWithWhatIsKnownWhenTheWorkerHasNothingToMeasure) {
  know(kFast, 10, 25);
  TestDaemon daemon(dir_.path(), "works", learn);
  daemon.run_until_state(daemon.submitted(training_spec()), "done");
  EXPECT_EQ(daemon.control().list_profiles(std::nullopt)->at("profiles").size(), 1U);
}

TEST_F(PilotTest, SaysThatNothingCouldBeMeasuredWhenTheWorkerCannotThink) {
  for (const char* manner : {"errs", "raves"}) {
    test::TempDir dir;
    TestDaemon daemon(dir.path(), manner, learn);
    daemon.submitted(training_spec());
    daemon.run_until([&] { return daemon.status() == "nothing could be measured"; });
  }
}

TEST_F(PilotTest, WhileTheWorkerThinksJobsRunInTheBestModeKnown) {
  know(kFast, 10, 25);
  TestDaemon daemon(dir_.path(), "dreams", learn);
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  EXPECT_EQ(daemon.control().plan().at("plan").at("mode"), kFast.to_json());
}

TEST_F(PilotTest, ABudgetIsKeptWhileTheWorkerThinks) {
  know(kFast, 10, 25);
  know(kSlow, 30, 15);
  TestDaemon daemon(dir_.path(), "dreams", learn);
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  ASSERT_TRUE(daemon.control().set_budget(20));
  daemon.run_until([&] { return daemon.control().board()->at("mode") == kSlow.to_json(); });
}

TEST_F(PilotTest, AWorkerThatDiesThinkingLosesTheThoughtAlone) {
  know(kFast, 10, 25);
  JobId job = 0;
  {
    TestDaemon daemon(dir_.path(), "broods", learn);
    job = daemon.submitted(training_spec());
    daemon.run_until([&] { return daemon.status().rfind("the worker exited", 0) == 0; });
  }
  TestDaemon daemon(dir_.path(), "works", learn);
  daemon.run_until_state(job, "done");
}

TEST_F(PilotTest, ADryRunTellsHowManyProbesAnAlsSearchTakes) {
  TestDaemon daemon(dir_.path(), "works", [](DaemonConfig& config) {
    search(config);
    config.scheduler.strategy = "als-12";
    config.scheduler.most_modes = 0;
  });
  EXPECT_EQ(daemon.submit(training_spec(), std::nullopt, true).value().at("search").at("probes_at_most"), 12);
}

// ---- whatever it thinks ----

TEST_F(PilotTest, AJobMaySayHowItsModeIsSearchedFor) {
  TestDaemon daemon(dir_.path(), "lasts", search);
  auto spec = training_spec();
  spec["strategy"] = "maxn";
  daemon.run_until_state(daemon.submitted(spec), "running");
  const auto why = daemon.control().explain();
  EXPECT_EQ(why.at("search").at("strategy"), "maxn");
  EXPECT_EQ(why.at("search").at("modes"), 1);
}

TEST_F(PilotTest, SearchesWithWhatOtherWorkloadsTell) {
  auto other = training_spec();
  other["batch_size"] = 32;
  know(kFast, 15, 25, other);
  know(kSlow, 60, 13, other);
  know({8, 1344000, 114750000, 2133000000}, 70, 15, other);
  know({4, 422400, 726750000, 665600000}, 40, 17, other);
  TestDaemon daemon(dir_.path(), "works", search);
  daemon.run_until_state(daemon.submitted(training_spec()), "done");
  EXPECT_GT(daemon.control().list_profiles(std::nullopt)->at("profiles").size(), 4U) << "its own as well";
}

TEST_F(PilotTest, ExploresWhileAJobRunsAndGoesBackToIt) {
  TestDaemon daemon(dir_.path(), "lasts", [](DaemonConfig& config) {
    search(config);
    config.scheduler.strategy = "maxn";  // which leaves but the lowest mode to be explored
  });
  const auto job = daemon.submitted(training_spec());
  daemon.run_until_state(job, "running");
  const auto modes = [&] { return daemon.control().list_profiles(std::nullopt)->at("profiles").size(); };
  ASSERT_EQ(modes(), 1U);
  const auto mode = daemon.control().plan().at("plan").at("mode");
  ASSERT_TRUE(daemon.control().explore_profiles(5));
  daemon.run_until([&] { return modes() == 2U && daemon.state_of(job) == "running"; });
  EXPECT_EQ(daemon.control().plan().at("plan").at("mode"), mode);
}

TEST_F(PilotTest, WithoutAJobThereIsNothingToExplore) {
  TestDaemon daemon(dir_.path(), "works", search);
  const auto refused = daemon.control().explore_profiles(5);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
}

TEST_F(PilotTest, ExplainsWhatItHasChosen) {
  TestDaemon daemon(dir_.path(), "lasts", search);
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  const auto why = daemon.control().explain();
  EXPECT_EQ(why.at("problem").at("kind"), "train");
  EXPECT_EQ(why.at("search").at("state"), "settled");
  EXPECT_EQ(why.at("choice").at("mode"), why.at("plan").at("mode"));
  EXPECT_EQ(why.at("choice").at("mode"), daemon.control().board()->at("mode"));
}

TEST_F(PilotTest, ADryRunTellsWhatTheSearchWouldCost) {
  TestDaemon daemon(dir_.path(), "works", search);
  const auto answer = daemon.submit(training_spec(), std::nullopt, true).value();
  EXPECT_GT(answer.at("search").at("probes_at_most"), 0);
  EXPECT_GT(answer.at("search").at("seconds_at_most"), 0);
}

TEST_F(PilotTest, AFixedModeLeavesNoBudgetToSet) {
  TestDaemon daemon(dir_.path(), "works");
  const auto refused = daemon.control().set_budget(20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_NE(refused.error().to_string().find("mode: auto"), std::string::npos);
}

TEST_F(PilotTest, ABudgetThatIsSetMovesTheBoardAtOnce) {
  know(kFast, 10, 25);
  know(kSlow, 30, 15);
  TestDaemon daemon(dir_.path(), "lasts", search);
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  EXPECT_EQ(daemon.control().plan().at("plan").at("mode"), kFast.to_json());
  ASSERT_TRUE(daemon.control().set_budget(20));
  daemon.run_until([&] { return daemon.control().board()->at("mode") == kSlow.to_json(); });
  EXPECT_EQ(daemon.control().explain().at("search"), nullptr) << "before anything was measured";
}

TEST_F(PilotTest, ABoardThatDrawsMoreThanItsBudgetMovesToTheNextModeInside) {
  // Idle, a board in this mode draws more than 11 W already.
  know(kFast, 10, 10.7);
  know(kSlow, 30, 8);
  TestDaemon daemon(dir_.path(), "lasts", [](DaemonConfig& config) {
    search(config);
    config.power_budget_w = 11;
  });
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  EXPECT_EQ(daemon.control().plan().at("plan").at("mode"), kFast.to_json());
  daemon.run_until([&] { return daemon.control().board()->at("mode") == kSlow.to_json(); });
  EXPECT_GT(daemon.control().explain().at("watch").at("power_factor"), 1.0);
}

TEST_F(PilotTest, AModeThatSomebodyElseChangedIsSetBack) {
  TestDaemon daemon(dir_.path(), "works");
  daemon.run_until_state(daemon.submitted(inference_spec()), "running");
  const auto mode = daemon.control().board()->at("mode");
  const SystemClock clock;
  auto foreign = SimulatedFileTree::open(dir_ / "board.json", clock);
  ASSERT_TRUE(foreign);
  const std::string gpu = "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b/";
  ASSERT_TRUE((*foreign)->write(gpu + "min_freq", "114750000"));
  ASSERT_TRUE((*foreign)->write(gpu + "max_freq", "114750000"));
  ASSERT_NE(daemon.control().board()->at("mode"), mode);
  daemon.run_until([&] { return daemon.control().board()->at("mode") == mode; });
}

TEST_F(PilotTest, AgainstAProgramThatKeepsChangingTheModeTrainingIsSuspended) {
  TestDaemon daemon(dir_.path(), "lasts");
  const auto training = daemon.submitted(training_spec());
  daemon.run_until_state(daemon.submitted(inference_spec()), "running");
  daemon.run_until_state(training, "running");
  const auto mode = daemon.control().board()->at("mode");
  const SystemClock clock;
  auto foreign = SimulatedFileTree::open(dir_ / "board.json", clock);
  ASSERT_TRUE(foreign);
  const auto suspended = [&] { return daemon.control().plan().contains("board_trouble"); };
  while (!suspended()) {
    ASSERT_TRUE(
        (*foreign)->write("/sys/devices/17000000.ga10b/devfreq/17000000.ga10b/min_freq", "114750000"));
    daemon.run_until([&] {
      return suspended() ||
             (*foreign)->read("/sys/devices/17000000.ga10b/devfreq/17000000.ga10b/min_freq").value() ==
                 std::to_string(mode.at("gpu_hz").get<std::int64_t>()) + "\n";
    });
  }
  const auto answer = daemon.control().plan();
  EXPECT_NE(to_line(answer.at("board_trouble")).find("jetson_clocks"), std::string::npos) << answer;
  EXPECT_NE(to_line(answer.at("board_trouble")).find("min_freq' was changed from"), std::string::npos)
      << answer;
  EXPECT_TRUE(answer.at("plan").at("training").empty());
  EXPECT_FALSE(answer.at("plan").at("inference").empty()) << "requests are answered";
  EXPECT_EQ(daemon.state_of(training), "queued");
}

TEST_F(PilotTest, AJobThatIsCancelledWhileTheModeIsBeingChangedLeavesNothingBehind) {
  TestDaemon daemon(dir_.path(), "grips", [](DaemonConfig& config) {
    search(config);
    config.scheduler.strategy = "gmd";
  });
  const auto job = daemon.submitted(training_spec());
  // The first probe of GMD is in the mode that the board begins in; for the second the worker would have to
  // hold.
  daemon.run_until([&] { return daemon.control().list_profiles(std::nullopt)->at("profiles").size() == 1; });
  ASSERT_TRUE(daemon.control().cancel(job));
  daemon.run_until([&] { return !daemon.holds_board(); });
  const auto next = daemon.submitted(inference_spec());
  daemon.run_until([&] { return daemon.control().list_profiles(std::nullopt)->at("profiles").size() == 2; });
  EXPECT_EQ(daemon.state_of(next), "profiling");
}

TEST_F(PilotTest, AJobThatEndsWhileItIsLoadedKeepsNobodyWaiting) {
  TestDaemon daemon(dir_.path(), "ponders", search);
  auto slow = training_spec();
  slow["name"] = "slow";
  const auto loading = daemon.submitted(slow);
  const auto waiting = daemon.submitted(training_spec());
  daemon.run_until_state(waiting, "profiling");
  ASSERT_TRUE(daemon.control().cancel(loading));
  daemon.run_until_state(waiting, "done");
}

TEST_F(PilotTest, AProbeThatKillsTheWorkerIsGivenUp) {
  TestDaemon daemon(dir_.path(), "chokes", [](DaemonConfig& config) {
    search(config);
    config.scheduler.most_modes = 1;
  });
  const auto job = daemon.submitted(training_spec());
  daemon.run_until_state(job, "failed");
  const std::string error = daemon.control().job(job)->at("error");
  EXPECT_NE(error.find("died 5 times"), std::string::npos) << error;
}

TEST_F(PilotTest, AModeThatTheBoardDoesNotTakeIsGivenUp) {
  constexpr PowerMode kTop{8, 1344000, 1300500000, 2133000000};
  know(kFast, 10, 25);
  know(kTop, 5, 30);
  TestDaemon daemon(dir_.path(), "lasts", [](DaemonConfig& config) {
    search(config);
    config.scheduler.most_modes = 1;  // what is known has to do
    config.power_budget_w = 26;
  });
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  const SystemClock clock;
  auto board = SimulatedFileTree::open(dir_ / "board.json", clock);
  ASSERT_TRUE(board);
  ASSERT_TRUE((*board)->add_fault(
      {"/sys/devices/17000000.ga10b/devfreq/*_freq", SimulatedFault::Kind::ignore_write, {}, {}, {}}));
  ASSERT_TRUE(daemon.control().set_budget(40));
  const auto is_in_trouble = [&] { return daemon.control().plan().contains("board_trouble"); };
  daemon.run_until(is_in_trouble);
  daemon.run_until([&] { return !is_in_trouble(); });
  EXPECT_EQ(daemon.control().plan().at("plan").at("mode"), kFast.to_json());
  EXPECT_EQ(daemon.control().board()->at("mode"), kFast.to_json());
}

TEST_F(PilotTest, ForgottenProfilesAreMeasuredAnew) {
  know(kFast, 10, 25);
  know(kSlow, 30, 15);
  TestDaemon daemon(dir_.path(), "lasts", search);
  const auto job = daemon.submitted(training_spec());
  daemon.run_until_state(job, "running");
  EXPECT_EQ(daemon.control().forget_profiles(std::nullopt)->at("forgotten"), 4);
  daemon.run_until_state(job, "profiling");
  daemon.run_until_state(job, "running");
  EXPECT_EQ(daemon.control().list_profiles(std::nullopt)->at("profiles").size(), 2U);
}

TEST_F(PilotTest, ImportedProfilesSaveTheSearch) {
  know(kFast, 10, 25);
  know(kSlow, 30, 15);
  Json document;
  {
    TestDaemon daemon(dir_.path(), "works", search);
    document = daemon.control().export_profiles(std::nullopt, 0, 500)->at("document");
  }
  test::TempDir other;
  TestDaemon daemon(other.path(), "lasts", search);
  EXPECT_EQ(daemon.control().import_profiles(document, false).value(), (Json{{"added", 4}, {"known", 0}}));
  daemon.run_until_state(daemon.submitted(training_spec()), "running");
  EXPECT_EQ(daemon.control().explain().at("search"), nullptr);
}

}  // namespace
}  // namespace fulcrum::daemon

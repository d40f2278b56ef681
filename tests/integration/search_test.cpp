// The daemon chooses the power mode by itself: real programs, real steps, a simulated board.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using test::TempDir;

// Few modes and short probes: what is found in them does not matter here.
std::string searching_in(int modes) {
  return "mode: auto\npower_budget_w: 30\nprofiler: {measure_s: 0.1}\nscheduler: {most_modes: " +
         std::to_string(modes) + "}\n";
}
const std::string kAuto = searching_in(3);
// The best of them is measured again, and at the edge of the budget more than one are (confirmation.h).
constexpr int kMostConfirmations = 10;

bool is_running(const Json& event) {
  return event.value("state", "") == "running";
}

// Profiles of the board and how often each was measured.
struct Known {
  std::size_t profiles = 0;
  int measurements = 0;
  std::set<Json> modes;
};
Known known_to(const DaemonProcess& daemon) {
  Known known;
  const auto answer = daemon.call("profile.list");
  for (const auto& profile : answer.at("profiles")) {
    ++known.profiles;
    known.measurements += profile.at("measurements").get<int>();
    known.modes.insert(profile.at("mode"));
  }
  return known;
}

// By power, ascending: the modes in which something is profiled.
std::map<double, Json> known_power_w(const DaemonProcess& daemon) {
  std::map<double, Json> known;
  const auto answer = daemon.call("profile.list");
  for (const auto& profile : answer.at("profiles"))
    known.emplace(profile.at("power_w").get<double>(), profile.at("mode"));
  return known;
}

TEST(Search, MeasuresInAFewModesAndRunsInTheBest) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, kAuto);
  daemon.start();
  const auto untouched = daemon.knobs();
  const auto job = daemon.submit(test::training_json(dir.path(), 20));
  daemon.watch_until(job, [](const Json& e) { return e.value("state", "") == "profiling"; });
  daemon.watch_until(job, is_running);
  const auto why = daemon.call("plan.explain");
  EXPECT_EQ(why.at("search").at("state"), "settled");
  EXPECT_GE(why.at("search").at("probes"), 4) << "three modes, and the best of them again";
  ASSERT_EQ(why.at("choice").at("profiles").size(), 1U);
  EXPECT_GE(why.at("choice").at("profiles").front().at("measurements"), 2);
  EXPECT_LE(why.at("choice").at("power_w"), 30.0);
  EXPECT_EQ(daemon.call("board.get").at("mode"), why.at("choice").at("mode")) << "as the board itself says";
  EXPECT_EQ(known_to(daemon).modes.size(), 3U);
  daemon.wait_for_result(job);
  EXPECT_EQ(daemon.knobs(), untouched);
}

// By networks, in the worker: the first three modes are set, the others follow from what is learned of them.
TEST(Search, MeasuresWhatTheWorkerLearnsToBeWorthIt) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {},
                       "mode: auto\npower_budget_w: 30\nprofiler: {measure_s: 0.1, minibatches: 10}\n"
                       "scheduler: {strategy: als-6}\n");
  daemon.start();
  const auto job = daemon.submit(test::training_json(dir.path(), 10000));
  daemon.watch_until(job, [&](const Json& e) {
    return e.value("event", "") == "probe" && e.at("probe").at("state") == "begun" &&
           known_to(daemon).profiles == 4;
  });
  ::kill(daemon.worker_pid(), SIGKILL);  // with what it has thought out
  // While the next one thinks, the job may run in the best mode known.
  daemon.watch_until(job, [](const Json& e) {
    return e.value("event", "") == "search" && e.at("search").at("state") == "ended";
  });
  const auto why = daemon.call("plan.explain");
  EXPECT_EQ(why.at("search").at("strategy"), "als-6");
  EXPECT_EQ(known_to(daemon).profiles, 6U);
  EXPECT_LE(known_to(daemon).measurements, 12) << "each once, but for what had to be confirmed";
  EXPECT_LE(why.at("choice").at("power_w"), 30.0);
}

TEST(Search, TheSameJobAgainCostsNoProbe) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, kAuto);
  daemon.start();
  daemon.wait_for_result(daemon.submit(test::training_json(dir.path(), 1)));
  const auto before = known_to(daemon);
  EXPECT_EQ(before.profiles, 3U);
  EXPECT_EQ(daemon.stop(), 0);
  daemon.start();
  const auto again = daemon.submit(test::training_json(dir.path(), 30));
  daemon.watch_until(again, is_running);
  EXPECT_EQ(daemon.call("plan.explain").at("search"), nullptr) << "nothing had to be searched for";
  daemon.wait_for_result(again);
  EXPECT_EQ(known_to(daemon).measurements, before.measurements);
}

TEST(Search, ACrashAtAnyProbeRepeatsNoneThatWasMeasured) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, kAuto);
  daemon.start();
  const auto untouched = daemon.knobs();
  const auto job = daemon.submit(test::training_json(dir.path(), 1));
  for (std::size_t measured = 0; measured < 3; ++measured) {
    daemon.watch_until(job, [&](const Json& e) {
      return e.value("event", "") == "probe" && e.at("probe").at("state") == "begun" &&
             known_to(daemon).profiles == measured;
    });
    daemon.kill();
    daemon.start();
  }
  daemon.wait_for_result(job);
  const auto known = known_to(daemon);
  EXPECT_EQ(known.profiles, 3U);
  EXPECT_LE(known.measurements, 3 + kMostConfirmations) << "only the probe that was killed is taken again";
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(daemon.knobs(), untouched);
}

TEST(Search, AWorkerThatDiesInAProbeCostsThatProbeAlone) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, kAuto);
  daemon.start();
  const auto job = daemon.submit(test::training_json(dir.path(), 1));
  daemon.watch_until(job, [](const Json& e) {
    return e.value("event", "") == "probe" && e.at("probe").at("state") == "measured";
  });
  ::kill(daemon.worker_pid(), SIGKILL);
  daemon.wait_for_result(job);
  const auto known = known_to(daemon);
  EXPECT_EQ(known.profiles, 3U);
  EXPECT_LE(known.measurements, 3 + kMostConfirmations);
}

TEST(Search, RequestsAreAnsweredInTimeWhileAnotherJobIsMeasured) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, kAuto);
  daemon.start();
  const auto camera = daemon.submit(test::inference_json(dir.path(), 50));
  daemon.watch_until(camera, is_running);
  const auto served = [&] {
    return daemon.call("job.get", {{"id", camera}}).at("progress").value("served", 0);
  };
  const auto fashion = daemon.submit(test::training_json(dir.path(), 20));
  daemon.watch_until(fashion, [](const Json& e) { return e.value("event", "") == "search"; });
  const int before = served();
  daemon.watch_until(fashion, is_running);
  EXPECT_GT(served(), before + 50) << "a second's worth, at the least";
  daemon.wait_for_result(fashion);
  daemon.call("job.cancel", {{"id", camera}});
  daemon.watch_until(camera, [](const Json& e) { return e.value("state", "") == "cancelled"; });
  EXPECT_GE(daemon.call("job.get", {{"id", camera}}).at("progress").at("inside_budget"), 0.99);
}

// Two modes of different power are known; a budget between them leaves the one that draws less. Which is the
// faster depends on how busy this machine is, so the test does not ask.
TEST(Search, ABudgetTakesEffectAtOnceAndOutlivesTheDaemon) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, searching_in(2));
  daemon.start();
  const auto job = daemon.submit(test::training_json(dir.path(), 1000));
  daemon.watch_until(job, is_running);
  const auto power_w = known_power_w(daemon);
  ASSERT_EQ(power_w.size(), 2U);
  const auto least = *power_w.begin();
  const auto most = *power_w.rbegin();
  const auto budget_between = daemon.call("budget.set", {{"power_w", (least.first + most.first) / 2}});
  EXPECT_EQ(budget_between.at("source"), "set");
  test::wait_until("training in the mode that draws less", [&] {
    const auto plan = daemon.call("plan.get").at("plan");
    return plan.at("mode") == least.second && plan.at("training").size() == 1 &&
           daemon.call("board.get").at("mode") == least.second;
  });
  // Below both nothing can run.
  const double below_w = least.first / 2;
  daemon.call("budget.set", {{"power_w", below_w}});
  test::wait_until("training that waits",
                   [&] { return daemon.call("plan.explain").at("infeasible").is_object(); });
  daemon.kill();
  daemon.start();
  EXPECT_EQ(daemon.call("budget.get").at("power_w"), below_w);
  EXPECT_EQ(daemon.call("budget.reset").at("power_w"), 30.0);
}

TEST(Search, WhatNoBudgetAllowsIsSaidAndWaits) {
  TempDir dir;
  DaemonProcess daemon(dir.path(), {}, kAuto);
  daemon.start();
  daemon.call("budget.set", {{"power_w", 5}});
  const auto job = daemon.submit(test::training_json(dir.path(), 1));
  daemon.watch_until(job, [](const Json& e) {
    return e.value("event", "") == "search" && e.at("search").at("state") == "ended";
  });
  const auto why = daemon.call("plan.explain");
  const double needed_w = why.at("infeasible").at("power_budget_w").at("value");
  EXPECT_EQ(daemon.call("job.get", {{"id", job}}).at("state"), "queued");
  EXPECT_NE(why.at("notes").dump().find("power budget"), std::string::npos) << why.dump();
  daemon.call("budget.set", {{"power_w", needed_w + 0.1}});
  daemon.wait_for_result(job);
}

}  // namespace
}  // namespace fulcrum

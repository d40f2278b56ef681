// Nothing is lost, and nothing is left behind, when a process is killed in the middle of its work.

#include <gtest/gtest.h>

#include <csignal>

#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using test::TempDir;

constexpr int kEpochs = 25;

// The weights that an undisturbed run ends with.
std::string undisturbed_digest(const TempDir& dir) {
  DaemonProcess daemon(dir.path());
  daemon.start();
  return daemon.wait_for_result(daemon.submit(test::training_json(dir.path(), kEpochs))).at("weights_digest");
}

bool is_under_way(const Json& event) {
  return event.at("progress").value("epoch", 0) >= 5;
}

TEST(Crash, KillingTheDaemonLosesNothing) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto untouched = daemon.knobs();
  const auto job = daemon.submit(test::training_json(dir.path(), kEpochs));
  const auto camera = daemon.submit(test::inference_json(dir.path(), 20));
  daemon.watch_until(job, is_under_way);
  const pid_t worker = daemon.worker_pid();
  EXPECT_NE(daemon.knobs(), untouched) << "the mode is set while there is work";
  daemon.kill();
  test::wait_until_gone(worker);  // no orphan trains on
  EXPECT_NE(daemon.knobs(), untouched) << "nobody was there to give them back";

  daemon.start();
  const auto jobs = daemon.call("job.list").at("jobs");
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs.at(0).at("id"), job);
  EXPECT_EQ(jobs.at(1).at("id"), camera);
  const auto digest = daemon.wait_for_result(job).at("weights_digest");
  EXPECT_NE(daemon.log().find("continues after"), std::string::npos)
      << "from a checkpoint, not from the start";
  daemon.call("job.cancel", {{"id", camera}});
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(daemon.knobs(), untouched) << "as before the first start";

  TempDir other;
  EXPECT_EQ(digest, undisturbed_digest(other)) << "bit-identical";
}

TEST(Crash, KnobsAreGivenBackWithoutANewDaemon) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto untouched = daemon.knobs();
  const auto job = daemon.submit(test::training_json(dir.path(), kEpochs));
  daemon.watch_until(job, [](const Json& e) { return e.value("state", "") == "running"; });
  daemon.kill();
  const auto command =
      test::program("fulcrumd") + " --restore-knobs --config " + dir.path() + "/fulcrumd.yaml";
  const auto first = test::run_program(command);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_EQ(daemon.knobs(), untouched);
  const auto second = test::run_program(command);
  EXPECT_EQ(second.status, 0) << "idempotent";
  EXPECT_NE(second.output.find("nothing to restore"), std::string::npos) << second.output;
}

TEST(Crash, KillingTheWorkerLosesNothing) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto job = daemon.submit(test::training_json(dir.path(), kEpochs));
  daemon.watch_until(job, is_under_way);
  const pid_t worker = daemon.worker_pid();
  ::kill(worker, SIGKILL);
  test::wait_until_gone(worker);
  const auto digest = daemon.wait_for_result(job).at("weights_digest");
  EXPECT_NE(daemon.worker_pid(), worker);
  EXPECT_NE(daemon.log().find("killed by signal 9"), std::string::npos);

  TempDir other;
  EXPECT_EQ(digest, undisturbed_digest(other)) << "bit-identical";
}

TEST(Crash, AReplayKeepsTheLatenciesItHasMeasured) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto job = daemon.submit(test::inference_json(dir.path(), 100));
  const auto served = [](const Json& e) { return e.at("progress").value("served", 0); };
  const auto before = served(daemon.watch_until(job, [&](const Json& e) { return served(e) >= 100; }));
  ::kill(daemon.worker_pid(), SIGKILL);
  const auto after = daemon.watch_until(
      job, [&](const Json& e) { return e.value("event", "") == "progress" && served(e) > before + 50; });
  EXPECT_LT(served(after), before + 400) << "it goes on, and does not begin anew";
}

}  // namespace
}  // namespace fulcrum

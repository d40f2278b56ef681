// A day in the life of the daemon: jobs come, run together, end.

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "common/unique_fd.h"
#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using test::TempDir;

TEST(Life, TrainsAndServesTogetherInTheConfiguredMode) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto untouched = daemon.knobs();

  const auto camera = daemon.submit(test::inference_json(dir.path(), 50));
  const auto fashion = daemon.submit(test::training_json(dir.path(), 20));
  daemon.watch_until(fashion, [](const Json& e) { return e.value("state", "") == "running"; });
  const auto plan = daemon.call("plan.get").at("plan");
  EXPECT_EQ(plan.at("mode_name"), "MODE_50W");
  EXPECT_EQ(plan.at("inference").at(0).at("job"), camera);
  EXPECT_EQ(plan.at("training").at(0).at("job"), fashion);
  EXPECT_GT(plan.at("training_per_window"), 0);
  EXPECT_EQ(daemon.call("board.get").at("mode"), plan.at("mode")) << "as the board itself says";

  const auto trained = daemon.wait_for_result(fashion);
  EXPECT_GT(trained.at("accuracy"), 0.9) << "four kinds of bars are easy to tell apart";
  EXPECT_TRUE(std::filesystem::exists(dir / "weights.pt"));

  daemon.call("job.cancel", {{"id", camera}});
  daemon.watch_until(camera, [](const Json& e) { return e.value("state", "") == "cancelled"; });
  EXPECT_GT(daemon.call("job.get", {{"id", camera}}).at("progress").at("served"), 0);
  const auto board = daemon.call("board.get");
  EXPECT_GT(board.at("mean_power_w"), 5.0);
  EXPECT_LT(board.at("mean_power_w"), 60.0);

  EXPECT_EQ(daemon.stop(), 0) << daemon.log();
  EXPECT_EQ(daemon.knobs(), untouched);
  EXPECT_FALSE(std::filesystem::exists(daemon.state_dir() + "/saved-knobs.json"));
  EXPECT_FALSE(std::filesystem::exists(daemon.socket()));
}

TEST(Life, ANetworkIsServedWhileItLearns) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto fashion = daemon.submit(test::training_json(dir.path(), 60));
  Json camera_spec = test::inference_json(dir.path(), 50);
  camera_spec["model"] = {{"job", "fashion"}, {"gate", "validation"}};
  const auto camera = daemon.submit(camera_spec);
  const auto serving = [](const Json& event) {
    return event.at("progress").value("serving", Json::object());
  };
  daemon.watch_until(camera, [&](const Json& e) {
    return serving(e).value("requests", 0) > 0 && serving(e).at("step").is_null();
  });
  const auto trained = daemon.wait_for_result(fashion);
  daemon.watch_until(camera, [&](const Json& e) {
    return serving(e).value("validation", Json()).is_object() && serving(e).value("requests", 0) >= 50;
  });
  const auto last = serving(daemon.call("job.get", {{"id", camera}}));
  EXPECT_EQ(last.at("job"), fashion);
  EXPECT_GT(last.at("accuracy"), 0.9) << last;
  EXPECT_GE(last.at("validation").at("accuracy"), trained.at("accuracy")) << "nothing worse is served";
  EXPECT_GT(last.at("changes"), 0);

  ASSERT_EQ(::kill(daemon.worker_pid(), SIGKILL), 0);
  daemon.watch_until(camera, [&](const Json& e) {
    return serving(e).value("step", Json()) == last.at("step") && serving(e).value("requests", 0) > 0;
  });
  EXPECT_EQ(daemon.stop(), 0) << daemon.log();
}

TEST(Life, TheBoardIsGivenBackWhenTheLastJobEnds) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto untouched = daemon.knobs();
  daemon.wait_for_result(daemon.submit(test::training_json(dir.path(), 1)));
  EXPECT_EQ(daemon.knobs(), untouched);
  EXPECT_EQ(daemon.call("board.get").at("lease_held"), false);
}

TEST(Life, AStoppedDaemonTakesItsJobsUpAgain) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto job = daemon.submit(test::training_json(dir.path(), 40));
  daemon.watch_until(job, [](const Json& e) { return e.at("progress").value("epoch", 0) >= 5; });
  EXPECT_EQ(daemon.stop(), 0) << daemon.log();
  daemon.start();
  EXPECT_EQ(daemon.wait_for_result(job).at("epoch"), 40);
  EXPECT_NE(daemon.log().find("continues after"), std::string::npos);
}

TEST(Life, ASafeRetryReturnsTheSameJob) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const Json request{{"spec", test::training_json(dir.path(), 1)}, {"client_token", "a"}};
  const auto first = daemon.call("job.submit", request).at("id");
  EXPECT_EQ(daemon.call("job.submit", request).at("id"), first);
  daemon.wait_for_result(first);
  std::filesystem::remove(dir / "train-images.gz");
  EXPECT_EQ(daemon.call("job.submit", request).at("id"), first)
      << "even when the job could not be submitted anew";
  EXPECT_EQ(daemon.call("job.list").at("jobs").size(), 1U);
}

TEST(Life, AsRootTheWorkerIsAnotherUserWithoutPrivileges) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  TempDir dir;
  DaemonProcess daemon(dir.path(), test::kUnprivilegedWorker);
  daemon.start();
  // Until it has become the worker's program the child is still the daemon's copy, root's own.
  const auto path = "/proc/" + std::to_string(daemon.worker_pid()) + "/status";
  std::string status;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (status.rfind("Name:\tfulcrum-worker", 0) != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = test::slurp(path);
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread.
  const auto* user = ::getpwnam(test::kUnprivilegedWorker);
  ASSERT_NE(user, nullptr);
  const auto uid = std::to_string(user->pw_uid);
  EXPECT_NE(status.find("Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid), std::string::npos) << status;
  EXPECT_NE(status.find("CapEff:\t0000000000000000"), std::string::npos) << status;
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos) << status;
}

TEST(Life, TellsTheServiceManagerWhatItDoes) {
  TempDir dir;
  const std::string path = dir / "notify";
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto expect = [&socket](const std::string& wanted) {
    std::string told;
    while (told.rfind(wanted, 0) != 0) {
      char datagram[4096];
      const auto n = ::recv(socket.get(), datagram, sizeof datagram, 0);
      ASSERT_GT(n, 0);
      told.assign(datagram, static_cast<std::size_t>(n));
    }
  };
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread.
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  DaemonProcess daemon(dir.path());
  daemon.start();
  ::unsetenv("NOTIFY_SOCKET");
  // NOLINTEND(concurrency-mt-unsafe)
  expect("READY=1");
  const auto job = daemon.submit(test::training_json(dir.path(), 1));
  expect("STATUS=MODE_50W");
  daemon.wait_for_result(job);
  expect("STATUS=no job runs");
  EXPECT_EQ(daemon.stop(), 0);
  expect("STOPPING=1");
}

TEST(Life, TwoDaemonsCannotShareAStateDirectory) {
  TempDir dir;
  DaemonProcess daemon(dir.path());
  daemon.start();
  const auto second = test::run_program(test::program("fulcrumd") + " --config " + dir.path() +
                                        "/fulcrumd.yaml --runtime-dir " + dir.path() + "/run2");
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.output.find("in use by process"), std::string::npos) << second.output;
}

}  // namespace
}  // namespace fulcrum

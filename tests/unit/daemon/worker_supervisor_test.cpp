// The supervisor and a worker that behaves as each test needs it (tests/support/scripted_worker.cpp).

#include "daemon/worker_supervisor.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/daemon/scripted_worker.h"

namespace fulcrum::daemon {
namespace {

class Supervisor : public testing::Test {
 protected:
  void start(const std::string& manner) {
    WorkerSettings settings;
    settings.command = test::scripted_worker(manner);
    settings.ready_timeout = ready_timeout_;
    settings.heartbeat_timeout = heartbeat_timeout_;
    settings.shutdown_timeout = std::chrono::milliseconds(200);
    supervisor_ = std::make_unique<WorkerSupervisor>(
        io_, settings, make_null_logger(),
        WorkerSupervisor::Handlers{
            [this](const worker::Hello&) { ++ups_; },
            [this](worker::FromWorker&& message) { messages_.push_back(std::move(message)); },
            [this](const WorkerEnd& end) { downs_.push_back(end.how); }});
    supervisor_->start();
  }
  template <class Condition>
  void run_until(const Condition& condition) {
    while (!condition())
      io_.run_one();
  }
  void stop() {
    bool stopped = false;
    supervisor_->stop([&stopped] { stopped = true; });
    run_until([&stopped] { return stopped; });
  }

  std::chrono::milliseconds ready_timeout_{60'000};
  std::chrono::milliseconds heartbeat_timeout_{60'000};
  boost::asio::io_context io_;
  std::unique_ptr<WorkerSupervisor> supervisor_;
  int ups_ = 0;
  std::vector<worker::FromWorker> messages_;
  std::vector<std::string> downs_;
};

TEST_F(Supervisor, BringsAWorkerUpAndDown) {
  start("works");
  run_until([this] { return ups_ == 1; });
  EXPECT_TRUE(supervisor_->up());
  stop();
  EXPECT_FALSE(supervisor_->up());
  EXPECT_TRUE(downs_.empty()) << "what was asked for is no failure";
}

TEST_F(Supervisor, PassesMessagesOn) {
  start("works");
  run_until([this] { return ups_ == 1; });
  supervisor_->send(worker::StopJob{7});
  run_until([this] { return !messages_.empty(); });
  EXPECT_EQ(std::get<worker::JobEnded>(messages_.front()).job, 7);
  stop();
}

TEST_F(Supervisor, ReplacesAWorkerThatEnded) {
  start("works");
  run_until([this] { return ups_ == 1; });
  ASSERT_EQ(::kill(supervisor_->process_id(), SIGKILL), 0);
  run_until([this] { return ups_ == 2; });
  ASSERT_EQ(downs_.size(), 1U);
  EXPECT_NE(downs_.front().find("signal 9"), std::string::npos) << downs_.front();
  stop();
}

TEST_F(Supervisor, ReplacesAWorkerThatDoesNotGetReady) {
  ready_timeout_ = std::chrono::milliseconds(50);
  start("silent");
  run_until([this] { return !supervisor_->trouble().empty(); });
  EXPECT_NE(supervisor_->trouble().find("did not get ready"), std::string::npos) << supervisor_->trouble();
  EXPECT_EQ(ups_, 0);
  stop();
}

TEST_F(Supervisor, ReplacesAWorkerThatFallsSilent) {
  heartbeat_timeout_ = std::chrono::milliseconds(100);
  start("hello");
  run_until([this] { return !downs_.empty(); });
  EXPECT_NE(downs_.front().find("silent for too long"), std::string::npos) << downs_.front();
  stop();
}

TEST_F(Supervisor, ReplacesAWorkerThatSpeaksNonsense) {
  start("babbles");
  run_until([this] { return !downs_.empty(); });
  EXPECT_NE(downs_.front().find("no message"), std::string::npos) << downs_.front();
  stop();
}

TEST_F(Supervisor, RefusesAWorkerOfAnotherRelease) {
  start("old");
  run_until([this] { return !supervisor_->trouble().empty(); });
  EXPECT_NE(supervisor_->trouble().find("protocol 0"), std::string::npos) << supervisor_->trouble();
  EXPECT_EQ(ups_, 0);
  stop();
}

TEST_F(Supervisor, KillsAWorkerThatDoesNotShutDown) {
  start("deaf");
  run_until([this] { return ups_ == 1; });
  stop();
  EXPECT_FALSE(supervisor_->up());
}

TEST_F(Supervisor, SaysThatTheProgramIsMissing) {
  WorkerSettings settings;
  settings.command.program = "/nowhere/fulcrum-worker";
  WorkerSupervisor supervisor(io_, settings, make_null_logger(), {});
  supervisor.start();
  EXPECT_NE(supervisor.trouble().find("/nowhere/fulcrum-worker"), std::string::npos) << supervisor.trouble();
}

}  // namespace
}  // namespace fulcrum::daemon

// fulcrum-worker: the data plane. Started by fulcrumd, spoken to over descriptor 3, gone when fulcrumd is
// gone.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <iostream>
#include <thread>

#include "common/clock.h"
#include "common/logging.h"
#include "common/version.h"
#include "networks/network_learner.h"
#include "worker/activity.h"
#include "worker/background.h"
#include "worker/connection.h"
#include "worker/executor.h"
#include "worker/thinker.h"
#include "worker/torch_workloads.h"
#include "worker/trial_process.h"
#include "workloads/job_files.h"
#include "workloads/job_trial.h"
#include "workloads/runtime.h"

namespace fulcrum::worker {
namespace {

constexpr int kDaemonLost = 3;

class Worker {
 public:
  Worker(Logger log, Activity& activity)
      : log_(std::move(log)),
        factory_(clock_, log_),
        executor_(clock_, factory_, activity,
                  [this](FromWorker message) { connection_->send(std::move(message)); }),
        thinker_(networks::make_network_learner(),
                 [this](FromWorker message) { connection_->send(std::move(message)); }) {}

  ~Worker() { ending_ = true; }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Expected<void> run() {
    FULCRUM_TRY_ASSIGN(connection,
                       Connection::open(io_, UniqueFd(kWorkerFd),
                                        {[this](ToWorker message) { std::visit(*this, std::move(message)); },
                                         [this](const std::string& why) { lose(why); }}));
    connection_ = std::move(connection);
    std::thread executor([this] {
      executor_.run();
      connection_->flush([this] { io_.stop(); });
    });
    io_.run();
    executor.join();
    return {};
  }

  void operator()(Configure message) {
    connection_->send(Hello{kProtocolVersion, kVersion, torch_version(), torch_device()});
    connection_->start_heartbeat(std::chrono::milliseconds(std::max(message.heartbeat_ms, 10)));
  }
  // On a thread of its own: opening files must not hold up a slice, nor a trial the heartbeat.
  void operator()(CheckJob message) {
    checks_.post([this, message = std::move(message)] {
      auto faults = workloads::check_job_files(message.spec);
      if (auto able = workloads::check_device(message.spec); !able) faults.push_back(std::move(able).error());
      if (faults.empty() && message.spec.model.is_file()) faults = run_trial_process(message.spec, ending_);
      connection_->send(JobChecked{message.request, std::move(faults)});
    });
  }
  void operator()(StartJob message) { executor_.start(std::move(message)); }
  void operator()(StopJob message) { executor_.stop(message); }
  void operator()(Hold) { executor_.hold(); }
  void operator()(SetPlan message) { executor_.set_plan(std::move(message)); }
  void operator()(Think message) { thinker_.think(std::move(message)); }
  void operator()(Shutdown) { executor_.shut_down(); }

 private:
  // Nobody may train without a daemon: not even the checkpoint is worth the risk of a second worker on it.
  void lose(const std::string& why) {
    log_->error("{}", why);
    ::_exit(kDaemonLost);
  }

  Logger log_;
  SystemClock clock_;
  boost::asio::io_context io_;
  std::unique_ptr<Connection> connection_;
  TorchWorkloadFactory factory_;
  Executor executor_;
  Thinker thinker_;
  std::atomic<bool> ending_{false};
  Background checks_;  // the first to go, as its tasks use the others
};

int main(int argc, char** argv) {
  CLI::App app{
      "Runs the models of fulcrumd, which starts it. Not for use by hand.\n\n"
      "Exit status: 0 told to shut down, 1 cannot start, 2 wrong usage, 3 the daemon is gone, "
      "4 the GPU has failed."};
  app.set_version_flag("--version", kVersion);
  std::string level = "info";
  app.add_option("--log-level", level, "trace, debug, info, warn or error")->capture_default_str();
  bool trial = false;
  app.add_flag(kTrialArgument, trial, "Try the job on standard input, for another fulcrum-worker, and end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (trial) return serve_trial(workloads::try_job);
  std::signal(SIGPIPE, SIG_IGN);
  // SIGTERM and SIGINT are the daemon's to handle; systemd and a terminal send them to both.
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);

  auto log = make_logger("fulcrum-worker", level);
  if (!log) {
    std::cerr << "fulcrum-worker: " << log.error().to_string() << '\n';
    return 2;
  }
  auto activity = Activity::open(UniqueFd(kActivityFd));
  if (!activity) {
    (*log)->error("{}: fulcrumd starts this program; it is of no use alone", activity.error().to_string());
    return 1;
  }
  report_crashes_to(*activity);
  if (const auto ran = Worker(*log, *activity).run(); !ran) {
    (*log)->error("{}", ran.error().to_string());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fulcrum::worker

int main(int argc, char** argv) {
  return fulcrum::worker::main(argc, argv);
}

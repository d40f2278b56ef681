#pragma once
// A control loop over a simulated board and a scripted worker, without its socket.

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "daemon/control_loop.h"
#include "tests/unit/daemon/scripted_worker.h"

namespace fulcrum::test {

inline Json training_spec() {
  return Json::parse(R"({"kind": "training", "name": "fashion", "model": {"builtin": "lenet5"},
    "dataset": {"format": "idx", "images": "/d/images", "labels": "/d/labels"}})");
}

inline Json inference_spec() {
  return Json::parse(R"({"kind": "inference", "name": "camera", "model": {"builtin": "lenet5"},
    "latency_budget_ms": 100, "arrival": {"rate_hz": 60},
    "source": {"kind": "replay", "process": "poisson",
               "dataset": {"format": "idx", "images": "/d/images", "labels": "/d/labels"}}})");
}

// A daemon without its socket. Ends, with the board given back, when it goes out of scope.
class TestDaemon {
 public:
  TestDaemon(
      const std::string& state_dir, const std::string& manner,
      const std::function<void(daemon::DaemonConfig&)>& alter = [](daemon::DaemonConfig&) {}) {
    daemon::DaemonConfig config;
    config.state_dir = state_dir;
    config.board = "simulated:agx-orin";
    config.mode = "MODE_50W";
    config.worker.user.clear();
    alter(config);
    auto board = daemon::BoardKeeper::open(config, clock_, make_null_logger());
    if (!board) throw std::runtime_error(board.error().to_string());
    auto store = daemon::JobStore::open(state_dir + "/jobs.db");
    if (!store) throw std::runtime_error(store.error().to_string());
    auto profiles = daemon::ProfileBook::open(state_dir + "/profiles.db", (*board)->board().id(), {true, 1});
    if (!profiles) throw std::runtime_error(profiles.error().to_string());
    auto budget = daemon::PowerBudget::open(state_dir + "/budget.json", config.power_budget());
    if (!budget) throw std::runtime_error(budget.error().to_string());
    daemon::WorkerSettings worker;
    worker.command = scripted_worker(manner);
    auto control = daemon::ControlLoop::make(
        {io_, clock_, config, std::move(*store), std::move(*board), std::move(*profiles), std::move(*budget),
         worker, make_null_logger(), [this](const std::string& text) { status_ = text; }});
    if (!control) throw std::runtime_error(control.error().to_string());
    control_ = std::move(*control);
    if (auto started = control_->start(); !started) throw std::runtime_error(started.error().to_string());
  }
  ~TestDaemon() {
    bool stopped = false;
    control_->stop([&stopped] { stopped = true; });
    run_until([&stopped] { return stopped; });
  }

  daemon::ControlLoop& control() { return *control_; }
  const std::string& status() const { return status_; }

  template <class Condition>
  void run_until(const Condition& condition) {
    while (!condition())
      io_.run_one();
  }

  daemon::Checked<Json> submit(Json spec, std::optional<std::string> token = std::nullopt,
                               bool dry_run = false) {
    std::optional<daemon::Checked<Json>> answer;
    control_->submit({std::move(spec), std::move(token), dry_run},
                     [&](daemon::Checked<Json> a) { answer = std::move(a); });
    run_until([&] { return answer.has_value(); });
    return *answer;
  }
  JobId submitted(Json spec) { return submit(std::move(spec)).value().at("id").get<JobId>(); }

  std::string state_of(JobId id) { return control_->job(id).value().at("state"); }
  void run_until_state(JobId id, const std::string& state) {
    run_until([&] { return state_of(id) == state; });
  }
  bool holds_board() { return control_->board().value().at("lease_held"); }

 private:
  SystemClock clock_;
  boost::asio::io_context io_;
  std::unique_ptr<daemon::ControlLoop> control_;
  std::string status_;
};

}  // namespace fulcrum::test

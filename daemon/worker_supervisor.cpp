#include "daemon/worker_supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/version.h"

namespace fulcrum::daemon {

namespace {
constexpr std::chrono::milliseconds kFirstPause{200};
constexpr std::chrono::milliseconds kLongestPause{30'000};
constexpr std::chrono::seconds kHealthyAfter{60};
}  // namespace

WorkerSupervisor::WorkerSupervisor(boost::asio::io_context& io, WorkerSettings settings, Logger log,
                                   Handlers handlers)
    : io_(io),
      settings_(std::move(settings)),
      log_(std::move(log)),
      handlers_(std::move(handlers)),
      silence_timer_(io),
      respawn_timer_(io) {}

void WorkerSupervisor::start() {
  spawn();
}

void WorkerSupervisor::spawn() {
  spawned_at_ = std::chrono::steady_clock::now();
  auto process = WorkerProcess::spawn(io_, settings_.command,
                                      {[this](worker::FromWorker&& message) { handle(std::move(message)); },
                                       [this](const WorkerEnd& end) { handle_end(end); }});
  if (!process) {
    trouble_ = process.error().to_string();
    log_->error("cannot start the worker: {}", trouble_);
    spawn_later();
    return;
  }
  process_ = std::move(*process);
  log_->debug("worker started as process {}", process_->pid());
  process_->send(worker::Configure{});
  expect_word_within(settings_.ready_timeout, "it did not get ready in time");
}

void WorkerSupervisor::expect_word_within(std::chrono::milliseconds limit, const std::string& else_reason) {
  silence_timer_.expires_after(limit);
  silence_timer_.async_wait([this, else_reason](boost::system::error_code error) {
    // An expiry that was put off after it had been queued is none.
    if (error || !process_ || std::chrono::steady_clock::now() < silence_timer_.expiry()) return;
    process_->kill(else_reason);
  });
}

void WorkerSupervisor::handle(worker::FromWorker&& message) {
  if (!stopped_) expect_word_within(settings_.heartbeat_timeout, "it was silent for too long");
  if (const auto* hello = std::get_if<worker::Hello>(&message)) {
    handle_hello(*hello);
  } else if (!std::holds_alternative<worker::Heartbeat>(message) && up_) {
    handlers_.message(std::move(message));
  }
}

void WorkerSupervisor::handle_hello(const worker::Hello& hello) {
  if (hello.protocol != worker::kProtocolVersion) {
    process_->kill(
        fmt::format("it speaks protocol {} (version {}), we speak {} (version {}): install both programs "
                    "from one release",
                    hello.protocol, hello.version, worker::kProtocolVersion, kVersion));
    return;
  }
  up_ = true;
  trouble_.clear();
  log_->info("worker {} is up: LibTorch {} on {}", process_->pid(), hello.torch_version, hello.device);
  handlers_.up(hello);
}

void WorkerSupervisor::handle_end(const WorkerEnd& end) {
  silence_timer_.cancel();
  // The process object is in the middle of telling us; it goes once it has returned.
  boost::asio::post(io_, [process = std::shared_ptr<WorkerProcess>(std::move(process_))] {});
  const bool was_up = std::exchange(up_, false);
  if (stopped_) {
    log_->debug("worker {}", end.how);
    std::exchange(stopped_, nullptr)();
    return;
  }
  trouble_ = "the worker " + end.how;
  log_->error("worker {}", end.how);
  if (was_up) handlers_.down(end);
  spawn_later();
}

void WorkerSupervisor::spawn_later() {
  const bool was_healthy = std::chrono::steady_clock::now() - spawned_at_ > kHealthyAfter;
  failures_in_a_row_ = was_healthy ? 0 : std::min(failures_in_a_row_ + 1, 16);
  const auto pause = was_healthy ? std::chrono::milliseconds(0)
                                 : std::min(kFirstPause * (1 << (failures_in_a_row_ - 1)), kLongestPause);
  log_->info("starting a new worker in {} ms", pause.count());
  respawn_timer_.expires_after(pause);
  respawn_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) spawn();
  });
}

void WorkerSupervisor::send(const worker::ToWorker& message) {
  if (up_ && process_) process_->send(message);
}

std::optional<worker::Activity::Step> WorkerSupervisor::step() const {
  return process_ ? process_->activity().step() : std::nullopt;
}

void WorkerSupervisor::replace(const std::string& why) {
  if (process_) process_->kill(why);
}

void WorkerSupervisor::stop(std::function<void()> stopped) {
  respawn_timer_.cancel();
  if (!process_) {
    boost::asio::post(io_, std::move(stopped));
    return;
  }
  stopped_ = std::move(stopped);
  process_->send(worker::Shutdown{});
  expect_word_within(settings_.shutdown_timeout, "it did not shut down in time");
}

}  // namespace fulcrum::daemon

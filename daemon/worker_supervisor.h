#pragma once
// Keeps one worker running: starts it, watches its heartbeat, starts it anew after a pause when it ends, and
// brings it down in good order.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/clock.h"
#include "common/logging.h"
#include "daemon/worker_process.h"

namespace fulcrum::daemon {

struct WorkerSettings {
  WorkerCommand command;
  std::chrono::milliseconds ready_timeout{60'000};      // from start to Hello
  std::chrono::milliseconds heartbeat_timeout{10'000};  // without a word
  std::chrono::milliseconds shutdown_timeout{20'000};   // for the last checkpoints
};

class WorkerSupervisor {
 public:
  struct Handlers {
    std::function<void(const worker::Hello&)> up;
    std::function<void(worker::FromWorker&&)> message;  // every other message
    std::function<void(const WorkerEnd&)> down;
  };

  WorkerSupervisor(boost::asio::io_context& io, WorkerSettings settings, Logger log, Handlers handlers);

  void start();
  bool up() const { return up_; }
  // Of the running worker; 0 when there is none.
  pid_t process_id() const { return process_ ? process_->pid() : 0; }
  // The step that the running worker is in.
  std::optional<worker::Activity::Step> step() const;
  // Why there is none now; empty before the first trouble.
  const std::string& trouble() const { return trouble_; }

  // To the running worker; dropped when none is up (whoever is told `up` sends anew what it must know).
  void send(const worker::ToWorker& message);

  // Kills the running worker; a new one follows.
  void replace(const std::string& why);

  // Shutdown, then a kill when it takes too long; `stopped` is called when it is gone.
  void stop(std::function<void()> stopped);

 private:
  void spawn();
  void handle(worker::FromWorker&& message);
  void handle_hello(const worker::Hello& hello);
  void handle_end(const WorkerEnd& end);
  void spawn_later();
  void expect_word_within(std::chrono::milliseconds limit, const std::string& else_reason);

  boost::asio::io_context& io_;
  WorkerSettings settings_;
  Logger log_;
  Handlers handlers_;
  std::unique_ptr<WorkerProcess> process_;
  boost::asio::steady_timer silence_timer_;
  boost::asio::steady_timer respawn_timer_;
  std::string trouble_;
  bool up_ = false;
  int failures_in_a_row_ = 0;
  TimePoint spawned_at_{};
  std::function<void()> stopped_;
};

}  // namespace fulcrum::daemon

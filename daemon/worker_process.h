#pragma once
// One life of fulcrum-worker: started as its own user without privileges, spoken to over a socketpair, and
// gone when the daemon is gone (the kernel kills it; its end of the socketpair closes as well).

#include <sys/types.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_lines.h"
#include "worker/activity.h"
#include "worker/protocol.h"

namespace fulcrum::daemon {

struct WorkerCommand {
  std::string program;  // path of fulcrum-worker
  std::vector<std::string> arguments;
  std::string user;  // whom it runs as when the daemon is root; otherwise it stays the daemon's user
};

// The end of a worker.
struct WorkerEnd {
  std::string how;  // "exited with status 1", "was killed by signal 9 (Killed)", and why we did it
  std::optional<JobId> culprit;  // whose work it was
  bool from_outside = false;     // by the kernel, for want of memory, or by somebody else
};

class WorkerProcess {
 public:
  struct Handlers {
    std::function<void(worker::FromWorker&&)> message;
    // The process has been reaped. Called once, and never from within a call of this class; the object may be
    // destroyed in it.
    std::function<void(const WorkerEnd&)> ended;
  };

  // Spawns from the calling thread, which has to be the daemon's main one: PR_SET_PDEATHSIG follows the
  // thread.
  [[nodiscard]] static Expected<std::unique_ptr<WorkerProcess>> spawn(boost::asio::io_context& io,
                                                                      const WorkerCommand& command,
                                                                      Handlers handlers);
  ~WorkerProcess();  // kills it if it still lives
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void send(const worker::ToWorker& message);
  // The reason becomes part of how it ended.
  void kill(const std::string& reason);
  pid_t pid() const { return pid_; }
  const worker::Activity& activity() const { return activity_; }

 private:
  using Socket = boost::asio::local::stream_protocol::socket;

  WorkerProcess(boost::asio::io_context& io, pid_t pid, UniqueFd socket, worker::Activity activity,
                Handlers handlers);
  void read();
  void expect_end();
  void handle_lines();
  void write();
  void await_end();
  void reap();
  void drain();

  pid_t pid_;
  worker::Activity activity_;
  Socket socket_;
  boost::asio::steady_timer end_timer_;
  boost::asio::signal_set child_signals_;
  Handlers handlers_;
  LineSplitter lines_{worker::kMaxMessageBytes};
  std::array<char, 65536> buffer_{};
  std::deque<std::string> outgoing_;
  std::string kill_reason_;
  bool reaped_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fulcrum::daemon

#include "daemon/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "daemon/spawn.h"

namespace fulcrum::daemon {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds kEndPatience{1};

std::string describe_end(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == worker::kDeviceLostStatus)
    return fmt::format("exited with status {}: the GPU has failed", WEXITSTATUS(status));
  if (WIFEXITED(status)) return fmt::format("exited with status {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread of the daemon asks.
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with wait status {}", status);
}

Expected<UniqueFd> duplicate(const UniqueFd& fd) {
  UniqueFd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy.valid()) return fail_errno(errno, "duplicating a descriptor");
  return copy;
}

}  // namespace

Expected<std::unique_ptr<WorkerProcess>> WorkerProcess::spawn(asio::io_context& io,
                                                              const WorkerCommand& command,
                                                              Handlers handlers) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail_errno(errno, "creating the worker's socketpair");
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  FULCRUM_TRY_ASSIGN(activity, worker::Activity::create());
  FULCRUM_TRY_ASSIGN(their_activity, duplicate(activity.fd()));
  SpawnRequest request{command.program, command.arguments, command.user, {}};
  static_assert(worker::kWorkerFd == 3 && worker::kActivityFd == 4);
  request.inherited.push_back(std::move(theirs));
  request.inherited.push_back(std::move(their_activity));
  FULCRUM_TRY_ASSIGN(pid, daemon::spawn(std::move(request)));
  std::unique_ptr<WorkerProcess> process(
      new WorkerProcess(io, pid, std::move(ours), std::move(activity), std::move(handlers)));
  process->read();
  process->await_end();
  // It may have ended before its signal was waited for.
  asio::post(io, [process = process.get(), alive = process->alive_] {
    if (*alive) process->reap();
  });
  return process;
}

WorkerProcess::WorkerProcess(asio::io_context& io, pid_t pid, UniqueFd socket, worker::Activity activity,
                             Handlers handlers)
    : pid_(pid),
      activity_(std::move(activity)),
      socket_(io),
      end_timer_(io),
      child_signals_(io, SIGCHLD),
      handlers_(std::move(handlers)) {
  socket_.assign(asio::local::stream_protocol(), socket.release());
}

WorkerProcess::~WorkerProcess() {
  *alive_ = false;
  if (reaped_) return;
  kill("the daemon is done with it");
  ::waitpid(pid_, nullptr, 0);
}

void WorkerProcess::kill(const std::string& reason) {
  if (reaped_) return;
  if (kill_reason_.empty()) kill_reason_ = reason;
  ::kill(pid_, SIGKILL);
}

// A worker that closed its end is of no use any more, whatever it does.
void WorkerProcess::read() {
  socket_.async_read_some(asio::buffer(buffer_), [this, alive = alive_](error_code error, std::size_t n) {
    if (!*alive) return;
    if (error) return expect_end();
    lines_.feed({buffer_.data(), n});
    handle_lines();
    if (*alive && socket_.is_open()) read();
  });
}

// Whose connection is closed has ended, commonly, and will be reaped at once.
void WorkerProcess::expect_end() {
  end_timer_.expires_after(kEndPatience);
  end_timer_.async_wait([this, alive = alive_](error_code error) {
    if (*alive && !error) kill("it closed its connection");
  });
}

void WorkerProcess::handle_lines() {
  const auto alive = alive_;
  while (*alive && lines_.has_line()) {
    const auto line = lines_.pop_line();
    auto message = worker::parse_from_worker(line.text);
    if (!message) {
      kill("it sent what is no message: " + message.error().to_string());
      return;
    }
    handlers_.message(std::move(*message));
  }
}

void WorkerProcess::send(const worker::ToWorker& message) {
  outgoing_.push_back(worker::to_line(message));
  if (outgoing_.size() == 1) write();
}

void WorkerProcess::write() {
  asio::async_write(socket_, asio::buffer(outgoing_.front()),
                    [this, alive = alive_](error_code error, std::size_t) {
                      if (!*alive || error) return;  // reading sees the end as well
                      outgoing_.pop_front();
                      if (!outgoing_.empty()) write();
                    });
}

void WorkerProcess::await_end() {
  child_signals_.async_wait([this, alive = alive_](error_code error, int) {
    if (*alive && !error) reap();
  });
}

void WorkerProcess::reap() {
  if (reaped_) return;
  int status = 0;
  const pid_t pid = ::waitpid(pid_, &status, WNOHANG);
  if (pid == 0) {  // some other child's signal
    await_end();
    return;
  }
  reaped_ = true;
  drain();
  WorkerEnd end{pid == pid_ ? describe_end(status) : "vanished", activity_.culprit(), false};
  end.from_outside = kill_reason_.empty() && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!kill_reason_.empty()) end.how += ", because " + kill_reason_;
  handlers_.ended(end);
}

// What it wrote before it ended still counts.
void WorkerProcess::drain() {
  error_code error;
  socket_.non_blocking(true, error);
  while (!error) {
    const std::size_t n = socket_.read_some(asio::buffer(buffer_), error);
    if (!error) lines_.feed({buffer_.data(), n});
  }
  handle_lines();
}

}  // namespace fulcrum::daemon

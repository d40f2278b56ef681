#include "powermode/foreign_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "common/unique_fd.h"

namespace fulcrum::powermode {

namespace {

constexpr std::chrono::milliseconds kPoll{10};
constexpr std::chrono::seconds kKillPatience{1};

// What posix_spawn is told, freed at the end.
class SpawnRequest {
 public:
  explicit SpawnRequest(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    // A group of its own, so that it can be killed with what it starts; and no signal blocked or ignored.
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnRequest() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnRequest(const SpawnRequest&) = delete;
  SpawnRequest& operator=(const SpawnRequest&) = delete;

  Expected<pid_t> spawn(const std::vector<std::string>& argv) const {
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const auto& argument : argv)
      arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to them
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error =
        ::posix_spawn(&pid, argv.front().c_str(), &actions_, &attributes_, arguments.data(), environ);
    if (error != 0) return fail_errno(error, fmt::format("starting '{}'", argv.front()));
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

class Child {
 public:
  Child(pid_t pid, UniqueFd output, TimePoint deadline)
      : pid_(pid), output_(std::move(output)), deadline_(deadline) {}
  ~Child() {
    if (exit_status_) return;
    ::kill(-pid_, SIGKILL);
    // One that a driver holds in the kernel is not waited for: it ends with the driver's patience.
    for (const auto deadline = clock_.now() + kKillPatience; !exit_status_ && clock_.now() < deadline;) {
      ::poll(nullptr, 0, static_cast<int>(to_ms(kPoll)));
      reap();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False: the time is up.
  bool wait() {
    while (!exit_status_) {
      if (clock_.now() >= deadline_) return false;
      read_for(kPoll);
      reap();
    }
    read_for(Duration::zero());  // what it wrote last
    return true;
  }

  ForeignRun take_run() { return {*exit_status_, std::move(text_)}; }

 private:
  void read_for(Duration time) {
    if (!output_.valid()) {
      ::poll(nullptr, 0, static_cast<int>(to_ms(time)));
      return;
    }
    pollfd readable{output_.get(), POLLIN, 0};
    int timeout_ms = static_cast<int>(to_ms(time));
    std::array<char, 16384> chunk{};
    while (::poll(&readable, 1, std::exchange(timeout_ms, 0)) > 0) {
      const ssize_t n = ::read(output_.get(), chunk.data(), chunk.size());
      if (n <= 0) return output_.reset();
      text_.append(chunk.data(), std::min(static_cast<std::size_t>(n), kMostOutputBytes - text_.size()));
      if (clock_.now() >= deadline_) return;
    }
  }

  void reap() {
    int status = 0;
    const pid_t pid = ::waitpid(pid_, &status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR)) return;
    exit_status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const SystemClock clock_;
  pid_t pid_;
  UniqueFd output_;
  TimePoint deadline_;
  std::string text_;
  std::optional<int> exit_status_;
};

}  // namespace

Expected<ForeignRun> run_foreign_program(const std::vector<std::string>& argv, Duration time_limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "creating a pipe");
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const SystemClock clock;
  const auto deadline = clock.now() + time_limit;
  FULCRUM_TRY_ASSIGN(pid, SpawnRequest(write_end.get()).spawn(argv));
  write_end.reset();
  Child child(pid, std::move(read_end), deadline);
  if (child.wait()) return child.take_run();
  return fail(ErrorCode::timed_out,
              fmt::format("'{}' did not end within {:g} s and was killed", argv.front(), to_s(time_limit)));
}

}  // namespace fulcrum::powermode

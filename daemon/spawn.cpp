#include "daemon/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>

#include "daemon/user_account.h"

namespace fulcrum::daemon {

namespace {

constexpr int kFirstInherited = 3;

// Everything below runs in the child between fork and exec: system calls only, no memory is allocated.

bool become(const UserAccount& account) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a forked child has one thread.
  return ::setgroups(account.groups.size(), account.groups.data()) == 0 &&
         ::setresgid(account.gid, account.gid, account.gid) == 0 &&
         ::setresuid(account.uid, account.uid, account.uid) == 0;
}

bool reset_signals() {
  sigset_t none;
  sigemptyset(&none);
  std::signal(SIGPIPE, SIG_DFL);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a forked child has one thread.
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

// dup2 clears the close-on-exec flag. None of the descriptors is one that is to be inherited as.
bool hand_over(const std::vector<UniqueFd>& fds) {
  int as = kFirstInherited;
  for (const auto& fd : fds) {
    if (::dup2(fd.get(), as) != as) return false;
    ++as;
  }
  return true;
}

// Whatever whoever started the daemon left open. An old kernel does not know the call or its flag; then a
// descriptor at a time.
void close_on_exec_above(int fd) {
  constexpr unsigned kCloseOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC
  if (::syscall(SYS_close_range, fd + 1, ~0U, kCloseOnExec) == 0) return;
  constexpr int kPlenty = 4096;
  for (int other = fd + 1; other < kPlenty; ++other)
    ::fcntl(other, F_SETFD, FD_CLOEXEC);
}

bool detach_from_terminal() {
  // A group of its own: Ctrl-C in a terminal ends the daemon, which then ends the worker in good order.
  if (::setpgid(0, 0) != 0) return false;
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return null >= 0 && ::dup2(null, STDIN_FILENO) == STDIN_FILENO && ::chdir("/") == 0;
}

// The parent-death signal is cleared by a change of user, so it is set after it; a parent that died before
// that is noticed by its pid.
bool die_with_parent(pid_t parent) {
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent &&
         ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

[[noreturn]] void run_child(const char* program, char* const* argv, const std::optional<UserAccount>& account,
                            const std::vector<UniqueFd>& inherited, int error_pipe, pid_t parent) {
  if (reset_signals() && detach_from_terminal() && (!account || become(*account)) &&
      die_with_parent(parent) && hand_over(inherited)) {
    close_on_exec_above(kFirstInherited + static_cast<int>(inherited.size()) - 1);
    ::execv(program, argv);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t n = ::write(error_pipe, &error, sizeof error);
  ::_exit(127);
}

// Above the descriptors that the child is to inherit.
Expected<UniqueFd> out_of_the_way(const UniqueFd& fd, std::size_t inherited) {
  UniqueFd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstInherited + static_cast<int>(inherited)));
  if (!moved.valid()) return fail_errno(errno, "duplicating a descriptor");
  return moved;
}

}  // namespace

Expected<pid_t> spawn(SpawnRequest request) {
  std::optional<UserAccount> account;
  if (::geteuid() == 0 && !request.user.empty()) {
    FULCRUM_TRY_ASSIGN(found, find_account(request.user));
    account = std::move(found);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "creating a pipe");
  UniqueFd read_end(ends[0]);
  const std::size_t count = request.inherited.size();
  FULCRUM_TRY_ASSIGN(error_pipe, out_of_the_way(UniqueFd(ends[1]), count));
  for (auto& fd : request.inherited) {
    FULCRUM_TRY_ASSIGN(moved, out_of_the_way(fd, count));
    fd = std::move(moved);
  }

  std::vector<char*> argv{request.program.data()};
  for (auto& argument : request.arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, "creating a process");
  if (pid == 0) {
    run_child(request.program.c_str(), argv.data(), account, request.inherited, error_pipe.get(), parent);
  }
  error_pipe.reset();
  int error = 0;
  ssize_t n = 0;
  do {
    n = ::read(read_end.get(), &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return pid;  // closed by a successful exec
  ::waitpid(pid, nullptr, 0);
  return fail_errno(error, fmt::format("starting '{}'", request.program));
}

}  // namespace fulcrum::daemon

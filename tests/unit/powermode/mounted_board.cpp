#include "tests/unit/powermode/mounted_board.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "common/unique_fd.h"
#include "powermode/foreign_program.h"

namespace fulcrum::test {

namespace {

constexpr unsigned kTimeLimitS = 60;
constexpr int kCannotMount = 3;

// The first line, or what was written before the end.
std::string read_line(int fd) {
  std::string line;
  char c = 0;
  while (::read(fd, &c, 1) == 1 && c != '\n')
    line += c;
  return line;
}

}  // namespace

MountedBoard::MountedBoard(const std::string& name) {
  ::mkdir(mountpoint().c_str(), 0755);
  start(name);
  if (!line_.empty()) {
    tree_ = open_tree();
    return;
  }
  if (wait_for_exit() != kCannotMount) throw std::runtime_error("fulcrum-simboard mount: " + errors());
  refused_ = errors();
}

MountedBoard::~MountedBoard() {
  if (pid_ > 0) {
    send(SIGTERM);
    wait_for_exit();
  }
  // A server that was killed leaves its mount behind.
  if (is_mounted() && !unmount()) ADD_FAILURE() << mountpoint() << " is still mounted";
}

void MountedBoard::start(const std::string& name) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const std::string program = std::string(FULCRUM_BIN_DIR) + "/fulcrum-simboard";
  const std::string state = directory_ / "board.json";
  const std::string mount = mountpoint();
  const std::string errors = directory_ / "errors";
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::alarm(kTimeLimitS);  // outlives the exec; nobody handles it
    ::dup2(write_end.get(), STDOUT_FILENO);
    ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT, 0644), STDERR_FILENO);
    ::execl(program.c_str(), "fulcrum-simboard", "--state", state.c_str(), "mount", mount.c_str(), "--board",
            name.c_str(), nullptr);
    ::_exit(127);
  }
  write_end.reset();
  line_ = read_line(read_end.get());
}

bool MountedBoard::is_mounted() const {
  return slurp("/proc/self/mounts").find(" " + mountpoint() + " ") != std::string::npos;
}

bool MountedBoard::unmount() const {
  if (::umount2(mountpoint().c_str(), MNT_DETACH) == 0) return true;
  const auto run = powermode::run_foreign_program({"/usr/bin/fusermount3", "-u", "-z", mountpoint()},
                                                  std::chrono::seconds(10));
  return run && run->exit_status == 0;
}

std::unique_ptr<SimulatedFileTree> MountedBoard::open_tree() const {
  auto opened = SimulatedFileTree::open(directory_ / "board.json", clock_);
  if (!opened) throw std::runtime_error(opened.error().to_string());
  return std::move(*opened);
}

void MountedBoard::fault(const std::string& pattern, SimulatedFault::Kind kind,
                         const std::string& error) const {
  EXPECT_TRUE(tree_->add_fault({pattern, kind, error, std::nullopt, {}}));
}

void MountedBoard::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

int MountedBoard::wait_for_exit() {
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace fulcrum::test

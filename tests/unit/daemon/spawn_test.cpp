#include "daemon/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"

namespace fulcrum::daemon {
namespace {

template <class... Fds>
std::vector<UniqueFd> descriptors(Fds... fds) {
  std::vector<UniqueFd> all;
  (all.push_back(std::move(fds)), ...);
  return all;
}

// Runs `script` in a shell that inherits a pipe as descriptor 3, and returns what it wrote there.
std::string said_by(const std::string& script) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  const auto pid = spawn({"/bin/sh", {"-c", script}, {}, descriptors(UniqueFd(ends[1]))});
  EXPECT_TRUE(pid) << pid.error().to_string();
  std::string said;
  char chunk[4096];
  for (ssize_t n = 0; (n = ::read(read_end.get(), chunk, sizeof chunk)) > 0;) {
    said.append(chunk, static_cast<std::size_t>(n));
  }
  EXPECT_EQ(::waitpid(*pid, nullptr, 0), *pid);
  return said;
}

std::vector<UniqueFd> any_descriptor() {
  return descriptors(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
}

TEST(Spawn, HandsOverOneDescriptor) {
  EXPECT_EQ(said_by("echo hello >&3"), "hello\n");
}

TEST(Spawn, HandsOverSeveralInOrder) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  // What is handed over as 4 may well be 3 here.
  const auto pid =
      spawn({"/bin/sh",
             {"-c", "read line <&3; echo $line >&4"},
             {},
             descriptors(UniqueFd(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC)), UniqueFd(ends[1]))});
  ASSERT_TRUE(pid) << pid.error().to_string();
  char said[64]{};
  EXPECT_GT(::read(read_end.get(), said, sizeof said - 1), 0);
  EXPECT_NE(std::string(said).find("daemon_tests"), std::string::npos) << said;
  EXPECT_EQ(::waitpid(*pid, nullptr, 0), *pid);
}

TEST(Spawn, TheChildHasNothingElseOpen) {
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  EXPECT_EQ(said_by("exec ls /proc/self/fd >&3"), "0\n1\n2\n3\n4\n") << "4 is the directory that ls reads";
}

TEST(Spawn, TheChildCannotGainPrivileges) {
  EXPECT_EQ(said_by("grep NoNewPrivs /proc/self/status >&3"), "NoNewPrivs:\t1\n");
}

TEST(Spawn, AProgramThatCannotBeExecutedIsAnError) {
  const auto missing = spawn({"/nowhere/program", {}, {}, any_descriptor()});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  test::TempDir dir;
  test::spill(dir / "text", "no program");
  EXPECT_EQ(spawn({dir / "text", {}, {}, any_descriptor()}).error().code, ErrorCode::permission_denied);
}

TEST(Spawn, AUserThatDoesNotExistIsAnErrorWithWhatToDo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const auto spawned = spawn({"/bin/sh", {}, "no-such-user", any_descriptor()});
  ASSERT_FALSE(spawned);
  EXPECT_NE(spawned.error().hint.find("useradd"), std::string::npos) << spawned.error().to_string();
}

TEST(Spawn, TheChildDiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t parent = ::fork();
  if (parent == 0) {
    // The grandchild says that it runs, and would then hold the pipe open for an hour.
    const auto child =
        spawn({"/bin/sh", {"-c", "echo up >&3; exec sleep 3600"}, {}, descriptors(std::move(write_end))});
    char up = 0;
    const ssize_t n = ::read(read_end.get(), &up, 1);
    ::_exit(child && n == 1 ? 0 : 1);
  }
  write_end.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  ASSERT_EQ(status, 0);
  char rest[8];
  while (::read(read_end.get(), rest, sizeof rest) > 0) {
  }
  SUCCEED() << "the pipe was closed, so the grandchild is gone";
}

}  // namespace
}  // namespace fulcrum::daemon

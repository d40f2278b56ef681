#include "common/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

TEST(DirectoryLock, HasOneOwnerWhoIsNamed) {
  test::TempDir dir;
  std::optional<Expected<DirectoryLock>> first(DirectoryLock::acquire(dir.path()));
  ASSERT_TRUE(first->has_value());
  const auto second = DirectoryLock::acquire(dir.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos)
      << second.error().message;
  first.reset();
  EXPECT_TRUE(DirectoryLock::acquire(dir.path()));
}

TEST(DirectoryLock, IsDroppedWhenTheOwnerDies) {
  test::TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = DirectoryLock::acquire(dir.path());
    ::_exit(lock ? 0 : 1);  // without a destructor
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(DirectoryLock::acquire(dir.path()));
}

TEST(DirectoryLock, SaysThatTheDirectoryIsMissing) {
  test::TempDir dir;
  EXPECT_EQ(DirectoryLock::acquire(dir / "missing").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace fulcrum

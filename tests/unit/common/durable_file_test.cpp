#include "common/durable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::slurp;
using test::spill;
using test::TempDir;

std::size_t entries(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path()), {}));
}

TEST(ReplaceFile, WritesNewBytesAndPermissions) {
  TempDir dir;
  ASSERT_TRUE(replace_file(dir / "f", "one"));
  ASSERT_TRUE(replace_file(dir / "f", "two", Durability::durable, 0600));
  EXPECT_EQ(slurp(dir / "f"), "two");
  struct stat info {};
  ASSERT_EQ(::stat((dir / "f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(entries(dir), 1U) << "the temporary file is gone";
}

TEST(ReplaceFile, LeavesTheOldFileWhenItFails) {
  TempDir dir;
  spill(dir / "f", "old");
  std::filesystem::create_directory(dir / "d");
  EXPECT_FALSE(replace_file(dir / "d", "new")) << "a directory cannot be replaced";
  EXPECT_FALSE(replace_file(dir / "missing" + "/f", "new"));
  EXPECT_EQ(slurp(dir / "f"), "old");
  EXPECT_EQ(entries(dir), 2U);
}

TEST(ReplaceFile, ReplacesALinkInsteadOfFollowingIt) {
  TempDir dir;
  spill(dir / "target", "precious");
  std::filesystem::create_symlink(dir / "target", dir / "link");
  ASSERT_TRUE(replace_file(dir / "link", "new"));
  EXPECT_EQ(slurp(dir / "target"), "precious");
  EXPECT_EQ(slurp(dir / "link"), "new");
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  TempDir dir;
  spill(dir / "f", "12345");
  EXPECT_EQ(read_file(dir / "f", 5), "12345");
  EXPECT_EQ(read_file(dir / "f", 4).error().code, ErrorCode::limit_exceeded);
}

TEST(ReadFile, RefusesWhatIsNoFile) {
  TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(dir / "fifo", 10).error().code, ErrorCode::invalid_argument)
      << "and does not wait for a writer";
  EXPECT_FALSE(read_file(dir.path(), 10));
  EXPECT_EQ(read_file(dir / "missing", 10).error().code, ErrorCode::not_found);
}

TEST(RemoveFile, IsContentWhenThereIsNone) {
  TempDir dir;
  EXPECT_TRUE(remove_file_durably(dir / "missing"));
  spill(dir / "f", "x");
  EXPECT_TRUE(remove_file_durably(dir / "f"));
  EXPECT_EQ(slurp(dir / "f"), "<absent>");
}

}  // namespace
}  // namespace fulcrum

#include "workloads/path_access.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/temp_dir.h"

namespace fulcrum::workloads {
namespace {

class PathAccess : public ::testing::Test {
 protected:
  PathAccess() {
    std::filesystem::create_directories(directory_ / "data/mnist");
    test::spill(file_, "x");
  }

  // Everybody may do everything, but not `mode` to `component`.
  static AccessCheck denying(const std::string& component, int mode) {
    return [component, mode](const std::string& path, int asked) {
      return path == component && (asked & mode) != 0 ? EACCES : 0;
    };
  }

  test::TempDir directory_;
  std::string file_ = directory_ / "data/mnist/train.gz";
};

TEST_F(PathAccess, AllowsWhatTheKernelAllows) {
  EXPECT_TRUE(check_readable(file_));
}

TEST_F(PathAccess, NamesTheFirstComponentThatIsMissing) {
  const auto result = check_readable(directory_ / "data/minst/train.gz");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::not_found);
  EXPECT_NE(result.error().message.find("'" + (directory_ / "data/minst") + "' does not exist"),
            std::string::npos);
}

TEST_F(PathAccess, NamesTheDirectoryThatMayNotBeSearchedAndTheCommand) {
  const std::string closed = directory_ / "data";
  const auto result = check_readable(file_, denying(closed, X_OK));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::permission_denied);
  EXPECT_NE(result.error().message.find("may not search directory '" + closed + "'"), std::string::npos);
  EXPECT_NE(result.error().hint.find("chmod o+x " + closed), std::string::npos);
  EXPECT_NE(result.error().hint.find("setfacl -m u:"), std::string::npos);
}

TEST_F(PathAccess, NamesTheFileThatMayNotBeRead) {
  const auto result = check_readable(file_, denying(file_, R_OK));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("may not read '" + file_ + "'"), std::string::npos);
  EXPECT_NE(result.error().hint.find("chmod o+r " + file_), std::string::npos);
}

TEST_F(PathAccess, LooksBehindASymlink) {
  std::filesystem::create_directory_symlink(directory_ / "data", directory_ / "link");
  const auto result = check_readable(directory_ / "link/mnist/train.gz", denying(directory_ / "data", X_OK));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("may not search directory '" + (directory_ / "data") + "'"),
            std::string::npos);
}

TEST_F(PathAccess, FollowsRelativeSymlinksAndDots) {
  std::filesystem::create_directory_symlink("../data/./mnist", directory_ / "data/again");
  EXPECT_TRUE(check_readable(directory_ / "data/again/../mnist/train.gz"));
}

TEST_F(PathAccess, EndsACircleOfSymlinks) {
  std::filesystem::create_symlink(directory_ / "b", directory_ / "a");
  std::filesystem::create_symlink(directory_ / "a", directory_ / "b");
  EXPECT_FALSE(check_readable(directory_ / "a"));
}

TEST_F(PathAccess, AFileIsNoDirectory) {
  const auto result = check_readable(file_ + "/more");
  ASSERT_FALSE(result);
}

TEST_F(PathAccess, QuotesForTheShell) {
  const std::string odd = directory_ / "it's";
  std::filesystem::create_directory(odd);
  const auto result = check_creatable(odd + "/out.pt", denying(odd, W_OK));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().hint.find("'" + (directory_ / "it'\\''s") + "'"), std::string::npos)
      << result.error().hint;
}

TEST_F(PathAccess, AFileCanBeCreatedWhereTheDirectoryIsWritable) {
  EXPECT_TRUE(check_creatable(directory_ / "out.pt"));
  EXPECT_TRUE(check_creatable(file_));
  EXPECT_FALSE(check_creatable(directory_ / "out.pt", denying(directory_.path(), W_OK)));
  EXPECT_FALSE(check_creatable(directory_ / "absent/out.pt"));
  EXPECT_FALSE(check_creatable(directory_ / "data"));
}

TEST_F(PathAccess, DeniesWhatTheKernelDenies) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is denied to root";
  std::filesystem::permissions(directory_ / "data", std::filesystem::perms::none);
  const auto result = check_readable(file_);
  std::filesystem::permissions(directory_ / "data", std::filesystem::perms::owner_all);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::permission_denied);
}

}  // namespace
}  // namespace fulcrum::workloads

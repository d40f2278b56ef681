#include "daemon/rpc_listener.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace fulcrum::daemon {
namespace {

using testing::HasSubstr;

class SocketFileTest : public testing::Test {
 protected:
  struct stat info() const {
    struct stat info {};
    EXPECT_EQ(::lstat(path_.c_str(), &info), 0);
    return info;
  }

  test::TempDir dir_;
  std::string path_ = dir_ / "control.sock";
};

TEST_F(SocketFileTest, OnlyOwnerAndGroupMayUseItWhateverTheUmask) {
  for (const mode_t mask : {0000U, 0077U, 0027U}) {
    const mode_t before = ::umask(mask);
    const auto file = SocketFile::listen(path_, std::nullopt);
    ::umask(before);
    ASSERT_TRUE(file) << file.error().to_string();
    EXPECT_EQ(info().st_mode & 07777U, 0660U);
  }
}

TEST_F(SocketFileTest, ItGoesWithItsOwner) {
  { const auto file = SocketFile::listen(path_, std::nullopt); }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SocketFileTest, ASocketThatLivesIsNotTakenOver) {
  const auto first = SocketFile::listen(path_, std::nullopt);
  const auto second = SocketFile::listen(path_, std::nullopt);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(SocketFileTest, ASocketThatNobodyServesIsTakenOver) {
  {
    auto file = SocketFile::listen(path_, std::nullopt);
    const UniqueFd fd(file->release_fd());
    std::filesystem::rename(path_, dir_ / "kept");  // so that it stays, as after kill -9
  }
  std::filesystem::rename(dir_ / "kept", path_);
  EXPECT_TRUE(SocketFile::listen(path_, std::nullopt));
}

TEST_F(SocketFileTest, AFileThatIsNoSocketIsLeftAlone) {
  test::spill(path_, "precious");
  const auto file = SocketFile::listen(path_, std::nullopt);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::already_exists);
  EXPECT_EQ(test::slurp(path_), "precious");
}

TEST_F(SocketFileTest, ASymbolicLinkIsLeftAlone) {
  std::filesystem::create_symlink(dir_ / "elsewhere", path_);
  EXPECT_FALSE(SocketFile::listen(path_, std::nullopt));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
}

TEST_F(SocketFileTest, AnotherDaemonsSocketIsNotRemoved) {
  auto file = SocketFile::listen(path_, std::nullopt);
  std::filesystem::remove(path_);
  test::spill(path_, "another");
  file->remove();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(SocketFileTest, ADirectoryThatIsMissingIsNamed) {
  const auto file = SocketFile::listen(dir_ / "none/control.sock", std::nullopt);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().to_string(), HasSubstr("none/control.sock"));
}

TEST_F(SocketFileTest, APathTooLongForASocketIsNamed) {
  const auto file = SocketFile::listen("/" + std::string(200, 'x'), std::nullopt);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::limit_exceeded);
}

TEST_F(SocketFileTest, RootCanGiveItToAGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto file = SocketFile::listen(path_, gid_t{1});
  EXPECT_EQ(info().st_gid, 1U);
}

TEST(FindGroup, AnUnknownGroupIsNotFoundAndSaysHowToMakeIt) {
  const auto group = find_group("no-such-group-here");
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().code, ErrorCode::not_found);
  EXPECT_THAT(group.error().hint, HasSubstr("groupadd"));
}

TEST(FindGroup, RootsGroupIsZero) {
  EXPECT_EQ(find_group("root"), gid_t{0});
}

}  // namespace
}  // namespace fulcrum::daemon

#include "powermode/real_file_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

class RealFileTreeTest : public testing::Test {
 protected:
  RealFileTreeTest() {
    ::mkdir((root_ / "sys").c_str(), 0755);
    test::spill(root_ / "sys/max_freq", "1300500000\n");
    tree_ = std::move(*RealFileTree::open(root_.path()));
  }

  test::TempDir root_;
  std::unique_ptr<RealFileTree> tree_;
};

TEST_F(RealFileTreeTest, ReadsBelowItsRoot) {
  EXPECT_EQ(tree_->read("/sys/max_freq").value(), "1300500000\n");
}

TEST_F(RealFileTreeTest, WritesReplaceTheWholeValue) {
  ASSERT_TRUE(tree_->write("/sys/max_freq", "7"));
  EXPECT_EQ(tree_->read("/sys/max_freq").value(), "7");
}

TEST_F(RealFileTreeTest, DoesNotCreateFiles) {
  EXPECT_EQ(tree_->write("/sys/new", "7").error().code, ErrorCode::not_found);
  EXPECT_FALSE(tree_->exists("/sys/new"));
}

TEST_F(RealFileTreeTest, NamesThePathInErrors) {
  const auto error = tree_->read("/sys/absent").error();
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_EQ(error.message, "reading '/sys/absent': No such file or directory");
}

TEST_F(RealFileTreeTest, ListsSortedWithoutDots) {
  test::spill(root_ / "sys/b", "");
  test::spill(root_ / "sys/a", "");
  EXPECT_EQ(tree_->list("/sys").value(), (std::vector<std::string>{"a", "b", "max_freq"}));
  EXPECT_EQ(tree_->list("/").value(), std::vector<std::string>{"sys"});
}

TEST_F(RealFileTreeTest, ListsNoFile) {
  EXPECT_FALSE(tree_->list("/sys/max_freq"));
}

TEST_F(RealFileTreeTest, ReadsNoDirectory) {
  EXPECT_FALSE(tree_->read("/sys"));
}

TEST_F(RealFileTreeTest, FollowsLinksAndTellsThem) {
  ASSERT_EQ(::symlink("max_freq", (root_ / "sys/link").c_str()), 0);
  EXPECT_EQ(tree_->read("/sys/link").value(), "1300500000\n");
  EXPECT_EQ(tree_->readlink("/sys/link").value(), "max_freq");
  EXPECT_EQ(tree_->readlink("/sys/max_freq").error().code, ErrorCode::invalid_argument);
}

TEST_F(RealFileTreeTest, AbsoluteLinksLeadInsideTheTree) {
  ASSERT_EQ(::symlink("/sys", (root_ / "class").c_str()), 0);
  ASSERT_EQ(::symlink("/sys/max_freq", (root_ / "sys/link").c_str()), 0);
  EXPECT_EQ(tree_->read("/sys/link").value(), "1300500000\n");
  EXPECT_EQ(tree_->readlink("/sys/link").value(), "/sys/max_freq");
  EXPECT_TRUE(tree_->exists("/class/link"));
  EXPECT_EQ(tree_->list("/class").value(), (std::vector<std::string>{"link", "max_freq"}));
  ASSERT_TRUE(tree_->write("/class/max_freq", "7"));
  EXPECT_EQ(tree_->read("/sys/max_freq").value(), "7");
}

TEST_F(RealFileTreeTest, FollowsLinksUpAndDown) {
  ASSERT_EQ(::mkdir((root_ / "sys/class").c_str(), 0755), 0);
  ASSERT_EQ(::symlink("../class", (root_ / "sys/class/self").c_str()), 0);
  ASSERT_EQ(::symlink("self/../../sys/class/self/../max_freq", (root_ / "sys/class/value").c_str()), 0);
  EXPECT_EQ(tree_->read("/sys/class/self/value").value(), "1300500000\n");
  EXPECT_EQ(tree_->list("/sys/class/self").value(), (std::vector<std::string>{"self", "value"}));
  EXPECT_EQ(tree_->readlink("/sys/class/self/self").value(), "../class");
  EXPECT_FALSE(tree_->exists("/sys/max_freq/below"));
}

TEST_F(RealFileTreeTest, ALoopOfLinksEnds) {
  ASSERT_EQ(::symlink("b", (root_ / "a").c_str()), 0);
  ASSERT_EQ(::symlink("/a", (root_ / "b").c_str()), 0);
  EXPECT_FALSE(tree_->read("/a"));
  EXPECT_FALSE(tree_->exists("/a"));
  EXPECT_EQ(tree_->readlink("/a").value(), "b");
}

TEST_F(RealFileTreeTest, NoLinkLeadsOutside) {
  const test::TempDir outside;
  test::spill(outside / "secret", "7");
  ASSERT_EQ(::symlink("secret", (outside / "link").c_str()), 0);
  ASSERT_EQ(::symlink(outside.path().c_str(), (root_ / "absolute").c_str()), 0);
  ASSERT_EQ(::symlink(("../../../../../../.." + outside.path()).c_str(), (root_ / "sys/up").c_str()), 0);
  for (const std::string link : {"/absolute", "/sys/up"}) {
    EXPECT_EQ(tree_->read(link + "/secret").error().code, ErrorCode::not_found) << link;
    EXPECT_EQ(tree_->write(link + "/secret", "8").error().code, ErrorCode::not_found) << link;
    EXPECT_EQ(tree_->list(link).error().code, ErrorCode::not_found) << link;
    EXPECT_EQ(tree_->readlink(link + "/link").error().code, ErrorCode::not_found) << link;
    EXPECT_FALSE(tree_->exists(link)) << link;
    EXPECT_FALSE(tree_->exists(link + "/secret")) << link;
  }
  EXPECT_EQ(test::slurp(outside / "secret"), "7");
}

TEST_F(RealFileTreeTest, WritesThroughNoFinalLink) {
  ASSERT_EQ(::symlink("max_freq", (root_ / "sys/link").c_str()), 0);
  EXPECT_FALSE(tree_->write("/sys/link", "7"));
  const auto machine = RealFileTree::open();
  ASSERT_TRUE(machine);
  EXPECT_FALSE((*machine)->write(root_ / "sys/link", "7"));
  EXPECT_EQ(tree_->read("/sys/max_freq").value(), "1300500000\n");
  EXPECT_TRUE((*machine)->write(root_ / "sys/max_freq", "8"));
}

TEST_F(RealFileTreeTest, RefusesPathsThatLeaveTheRoot) {
  for (const char* path : {"/../etc/passwd", "/sys/../../etc/passwd", "/sys/..", "sys/max_freq", ""}) {
    EXPECT_EQ(tree_->read(path).error().code, ErrorCode::invalid_argument) << path;
    EXPECT_FALSE(tree_->exists(path)) << path;
  }
}

TEST_F(RealFileTreeTest, RefusesMoreThan64KiB) {
  test::spill(root_ / "sys/large", std::string((64U << 10) + 1, 'x'));
  EXPECT_EQ(tree_->read("/sys/large").error().code, ErrorCode::limit_exceeded);
  test::spill(root_ / "sys/large", std::string(64U << 10, 'x'));
  EXPECT_EQ(tree_->read("/sys/large").value().size(), 64U << 10);
}

TEST_F(RealFileTreeTest, NeverBlocksOnANodeWithoutData) {
  ASSERT_EQ(::mkfifo((root_ / "sys/pipe").c_str(), 0600), 0);
  // Held open for reading and writing, so that a reader finds no data rather than an end.
  const UniqueFd both(::open((root_ / "sys/pipe").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(both.valid());
  EXPECT_EQ(tree_->read("/sys/pipe").error().code, ErrorCode::unavailable);
}

TEST_F(RealFileTreeTest, ReadsProc) {
  const auto real = RealFileTree::open();
  ASSERT_TRUE(real);
  EXPECT_EQ((*real)->read("/proc/sys/kernel/random/boot_id").value().size(), 37U);
}

TEST(RealFileTree, NeedsADirectory) {
  EXPECT_EQ(RealFileTree::open("/nonexistent/root").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace fulcrum

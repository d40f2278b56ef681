#include "workloads/checkpoint_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/support/temp_dir.h"
#include "workloads/checkpoint_writer.h"

namespace fulcrum::workloads {
namespace {

class Checkpoints : public ::testing::Test {
 protected:
  CheckpointStore open() { return CheckpointStore::open(path_).value(); }
  std::string file(int step) const {
    return path_ + "/checkpoint-00000000000" + std::to_string(step) + ".ckpt";
  }
  void damage(int step) const {
    std::string bytes = test::slurp(file(step));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    test::spill(file(step), bytes);
  }

  test::TempDir directory_;
  std::string path_ = directory_ / "jobs/7";
  std::vector<Error> warnings_;
};

TEST_F(Checkpoints, NoneIsNoError) {
  const auto latest = open().load_latest(warnings_);
  ASSERT_TRUE(latest);
  EXPECT_FALSE(*latest);
}

TEST_F(Checkpoints, ComeBackAsTheyWere) {
  const std::string bytes("\x00\xff\ncheckpoint", 13);
  ASSERT_TRUE(open().write(3, bytes));
  const auto latest = open().load_latest(warnings_);
  ASSERT_TRUE(latest && *latest);
  EXPECT_EQ((*latest)->step, 3U);
  EXPECT_EQ((*latest)->bytes, bytes);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Checkpoints, LastTwoAreKept) {
  auto store = open();
  for (const int step : {1, 2, 3, 4})
    ASSERT_TRUE(store.write(static_cast<std::uint64_t>(step), "x"));
  EXPECT_FALSE(std::filesystem::exists(file(2)));
  EXPECT_TRUE(std::filesystem::exists(file(3)));
  EXPECT_TRUE(std::filesystem::exists(file(4)));
}

TEST_F(Checkpoints, AsManyAreKeptAsWereAskedFor) {
  auto store = CheckpointStore::open(directory_ / "three", 3).value();
  for (std::uint64_t step = 1; step <= 4; ++step)
    ASSERT_TRUE(store.write(step, "x"));
  for (const auto& [step, there] : {std::pair{1, false}, {2, true}, {3, true}, {4, true}})
    EXPECT_EQ(std::filesystem::exists(fmt::format("{}/checkpoint-{:012}.ckpt", store.directory(), step)),
              there);
}

TEST_F(Checkpoints, ABrokenNewestGivesWayToTheOneBeforeWithAWarning) {
  auto store = open();
  ASSERT_TRUE(store.write(1, "one"));
  ASSERT_TRUE(store.write(2, "two"));
  damage(2);
  const auto latest = store.load_latest(warnings_);
  ASSERT_TRUE(latest && *latest);
  EXPECT_EQ((*latest)->bytes, "one");
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].message.find("damaged"), std::string::npos);
}

TEST_F(Checkpoints, CutAnywhereIsFoundOut) {
  auto store = open();
  ASSERT_TRUE(store.write(1, "one"));
  ASSERT_TRUE(store.write(2, "two"));
  const std::string whole = test::slurp(file(2));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    test::spill(file(2), whole.substr(0, length));
    const auto latest = store.load_latest(warnings_);
    ASSERT_TRUE(latest && *latest);
    EXPECT_EQ((*latest)->bytes, "one") << length;
  }
}

TEST_F(Checkpoints, AllBrokenIsAnError) {
  auto store = open();
  ASSERT_TRUE(store.write(1, "one"));
  damage(1);
  const auto latest = store.load_latest(warnings_);
  ASSERT_FALSE(latest);
  EXPECT_EQ(latest.error().code, ErrorCode::corrupt);
}

TEST_F(Checkpoints, BelongToOneOwner) {
  const auto owner = open();
  const auto second = CheckpointStore::open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
}

TEST_F(Checkpoints, HalfWrittenFilesOfADeadProcessAreRemoved) {
  { const auto store = open(); }
  test::spill(file(1) + ".4711.tmp", "half");
  const auto store = open();
  EXPECT_FALSE(std::filesystem::exists(file(1) + ".4711.tmp"));
}

TEST_F(Checkpoints, ForeignFilesAreLeftAlone) {
  auto store = open();
  test::spill(path_ + "/checkpoint-notes.ckpt", "mine");
  for (const int step : {1, 2, 3})
    ASSERT_TRUE(store.write(static_cast<std::uint64_t>(step), "x"));
  EXPECT_EQ(test::slurp(path_ + "/checkpoint-notes.ckpt"), "mine");
}

TEST_F(Checkpoints, WriterBringsTheNewestToDisk) {
  {
    CheckpointWriter writer(open());
    for (std::uint64_t step = 1; step <= 9; ++step)
      writer.submit({step, "step"});
    ASSERT_TRUE(writer.flush());
  }
  const auto latest = open().load_latest(warnings_);
  ASSERT_TRUE(latest && *latest);
  EXPECT_EQ((*latest)->step, 9U);
}

TEST_F(Checkpoints, WriterFinishesWhatWaitsWhenDestroyed) {
  { CheckpointWriter(open()).submit({5, "five"}); }
  EXPECT_EQ((*open().load_latest(warnings_))->step, 5U);
}

TEST_F(Checkpoints, WriterTellsItsTroubleUntilItHasWrittenAgain) {
  CheckpointWriter writer(open());
  std::filesystem::remove_all(path_);
  writer.submit({1, "one"});
  EXPECT_FALSE(writer.flush());
  EXPECT_TRUE(writer.trouble());
  std::filesystem::create_directories(path_);
  writer.submit({2, "two"});
  EXPECT_TRUE(writer.flush());
  EXPECT_FALSE(writer.trouble());
}

// A file that may not grow further, as on a full disk.
class NoRoom {
 public:
  explicit NoRoom(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~NoRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(Checkpoints, WithoutRoomForANewOneThoseBeforeStay) {
  auto store = open();
  ASSERT_TRUE(store.write(1, "one"));
  {
    const NoRoom no_room(4096);
    EXPECT_FALSE(store.write(2, std::string(10'000, 'x')));
  }
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    EXPECT_NE(entry.path().extension(), ".tmp") << "nothing is left of it";
  EXPECT_EQ((*store.load_latest(warnings_))->bytes, "one");
  EXPECT_TRUE(warnings_.empty());
  EXPECT_TRUE(store.write(3, std::string(10'000, 'x')));
}

}  // namespace
}  // namespace fulcrum::workloads

#include "workloads/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "tests/support/temp_dir.h"

namespace fulcrum::workloads {
namespace {

class Mapped : public ::testing::Test {
 protected:
  std::string file(const std::string& bytes) {
    test::spill(directory_ / "file", bytes);
    return directory_ / "file";
  }
  // The byte at `at`, or the error of reading it.
  static Expected<char> byte(const MappedFile& mapped, std::size_t at) {
    char c = 0;
    FULCRUM_TRY(mapped.read([&](const std::byte* bytes) { std::memcpy(&c, bytes + at, 1); }));
    return c;
  }

  test::TempDir directory_;
};

TEST_F(Mapped, IsReadWhereItLies) {
  const auto mapped = MappedFile::open(file("abc")).value();
  EXPECT_EQ(mapped.size(), 3U);
  EXPECT_EQ(byte(mapped, 2).value(), 'c');
}

TEST_F(Mapped, MayBeMoved) {
  auto first = MappedFile::open(file("abc")).value();
  const MappedFile second = std::move(first);
  EXPECT_EQ(byte(second, 1).value(), 'b');
}

TEST_F(Mapped, ThatWasCutOffIsAnErrorOfTheRead) {
  const auto path = file(std::string(100000, 'x'));
  const auto mapped = MappedFile::open(path).value();
  std::filesystem::resize_file(path, 10);
  for (int i = 0; i < 3; ++i) {
    const auto read = byte(mapped, 99999);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::io);
    EXPECT_NE(read.error().message.find(path), std::string::npos);
  }
  EXPECT_EQ(byte(mapped, 5).value(), 'x');
}

TEST_F(Mapped, ThatWasCutOffIsAnErrorInEveryThread) {
  const auto path = file(std::string(100000, 'x'));
  const auto mapped = MappedFile::open(path).value();
  std::filesystem::resize_file(path, 10);
  std::vector<std::thread> threads;
  std::vector<char> failed(4, 0);
  for (std::size_t i = 0; i < failed.size(); ++i)
    threads.emplace_back([&, i] { failed[i] = byte(mapped, 99999) ? 0 : 1; });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(failed, std::vector<char>(4, 1));
}

TEST_F(Mapped, MustBeAFileWithBytes) {
  EXPECT_EQ(MappedFile::open(file("")).error().code, ErrorCode::corrupt);
  EXPECT_EQ(MappedFile::open(directory_ / "absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(MappedFile::open(directory_.path()).error().code, ErrorCode::invalid_argument);
  ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(directory_ / "fifo").error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace fulcrum::workloads

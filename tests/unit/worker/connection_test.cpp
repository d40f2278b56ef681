#include "worker/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace fulcrum::worker {
namespace {

class ConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    daemon_ = UniqueFd(ends[0]);
    auto opened = Connection::open(io_, UniqueFd(ends[1]),
                                   {[this](ToWorker message) { received_.push_back(std::move(message)); },
                                    [this](const std::string& why) { lost_.push_back(why); }});
    ASSERT_TRUE(opened);
    connection_ = std::move(*opened);
  }

  void daemon_sends(const std::string& bytes) {
    ASSERT_EQ(::write(daemon_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void run_until_message_or_loss() {
    while (received_.empty() && lost_.empty())
      io_.run_one();
  }

  boost::asio::io_context io_;
  UniqueFd daemon_;
  std::unique_ptr<Connection> connection_;
  std::vector<ToWorker> received_;
  std::vector<std::string> lost_;
};

TEST_F(ConnectionTest, DeliversMessages) {
  daemon_sends(to_line(ToWorker(StopJob{5})));
  run_until_message_or_loss();
  ASSERT_EQ(received_.size(), 1U);
  EXPECT_EQ(std::get<StopJob>(received_.front()).job, 5);
}

TEST_F(ConnectionTest, TellsThatTheDaemonIsGone) {
  daemon_.reset();
  run_until_message_or_loss();
  ASSERT_EQ(lost_.size(), 1U);
  EXPECT_NE(lost_.front().find("gone"), std::string::npos);
}

TEST_F(ConnectionTest, TakesGarbageForALoss) {
  daemon_sends("garbage\n" + to_line(ToWorker(StopJob{5})));
  run_until_message_or_loss();
  EXPECT_EQ(lost_.size(), 1U);
  EXPECT_TRUE(received_.empty()) << "nothing after it counts";
}

TEST_F(ConnectionTest, SendsInOrderAndFlushes) {
  for (JobId job = 1; job <= 100; ++job)
    connection_->send(JobReady{job, {{1, 1, 1}}, std::nullopt});
  bool flushed = false;
  connection_->flush([&flushed] { flushed = true; });
  while (!flushed)
    io_.run_one();
  LineSplitter lines(kMaxMessageBytes);
  std::string bytes(1 << 16, '\0');
  bytes.resize(static_cast<std::size_t>(::read(daemon_.get(), bytes.data(), bytes.size())));
  lines.feed(bytes);
  for (JobId job = 1; job <= 100; ++job) {
    ASSERT_TRUE(lines.has_line());
    EXPECT_EQ(std::get<JobReady>(*parse_from_worker(lines.pop_line().text)).job, job);
  }
}

TEST(Connection, RefusesADescriptorThatIsNoSocket) {
  boost::asio::io_context io;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd other(ends[1]);
  EXPECT_FALSE(Connection::open(io, UniqueFd(99), {}));
  UniqueFd reader(ends[0]);
}

}  // namespace
}  // namespace fulcrum::worker

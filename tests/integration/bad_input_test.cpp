// Whatever a client sends, it gets a clear error, the daemon lives, and nobody else is disturbed.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/unique_fd.h"
#include "tests/integration/daemon_process.h"
#include "tests/integration/job_json.h"
#include "tests/support/temp_dir.h"

namespace fulcrum {
namespace {

using test::DaemonProcess;
using test::TempDir;

class BadInput : public testing::Test {
 protected:
  void SetUp() override {
    // As root, so that the worker, which is somebody else then, can get at what it may read.
    ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
    daemon_.start();
  }
  void TearDown() override {
    // The bystander has noticed nothing.
    EXPECT_EQ(daemon_.call("job.list").at("jobs").size(), 0U);
    EXPECT_EQ(daemon_.stop(), 0) << daemon_.log();
  }

  // The faults with which a spec is refused, one a line.
  std::string refusal(const Json& spec) {
    auto client = daemon_.connect();
    const auto answer = client.call("job.submit", {{"spec", spec}});
    if (answer) return "accepted: " + answer->dump();
    std::string text;
    for (const auto& fault : answer.error().faults)
      text += fault.to_string() + "\n";
    return text;
  }

  UniqueFd raw_connection() {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    daemon_.socket().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  TempDir dir_;
  DaemonProcess daemon_{dir_.path(), test::kUnprivilegedWorker};
};

TEST_F(BadInput, AModelThatCannotBeRunIsNamedWithItsField) {
  Json spec = test::training_json(dir_.path(), 1);
  spec.erase("output");
  spec["model"] = {{"torchscript", dir_ / "absent.pt"}};
  EXPECT_NE(refusal(spec).find("/model/torchscript"), std::string::npos);
  test::spill(dir_ / "model.pt", "weights");
  spec["model"] = {{"torchscript", dir_ / "model.pt"}};
  const auto text = refusal(spec);
  EXPECT_NE(text.find("is no TorchScript archive"), std::string::npos) << text;
  EXPECT_NE(text.find("/model/torchscript"), std::string::npos) << text;
}

TEST_F(BadInput, AMissingDatasetIsNamedWithItsField) {
  auto spec = test::training_json(dir_.path(), 1);
  spec["dataset"]["images"] = dir_ / "missing" + "/images.gz";
  const auto text = refusal(spec);
  EXPECT_NE(text.find("/params/spec/dataset/images"), std::string::npos) << text;
  EXPECT_NE(text.find("missing"), std::string::npos) << text;
}

TEST_F(BadInput, AnUnreadableDatasetIsRefusedWithWhatToDo) {
  auto spec = test::training_json(dir_.path(), 1);
  const auto images = spec["dataset"]["images"].get<std::string>();
  ASSERT_EQ(::chmod(images.c_str(), 0), 0);
  const auto text = refusal(spec);
  EXPECT_NE(text.find("/params/spec/dataset/images"), std::string::npos) << text;
  EXPECT_NE(text.find(images), std::string::npos) << text;
  EXPECT_NE(text.find("setfacl"), std::string::npos) << text;
}

TEST_F(BadInput, ADatasetThatIsNoneIsRefused) {
  auto spec = test::training_json(dir_.path(), 1);
  test::spill(dir_ / "text", "this is no image");
  spec["dataset"]["images"] = dir_ / "text";
  EXPECT_NE(refusal(spec).find("/params/spec/dataset/images"), std::string::npos);
}

TEST_F(BadInput, EveryFaultOfASpecIsToldAtOnce) {
  auto spec = test::training_json(dir_.path(), 1);
  spec["batch_size"] = 0;
  spec["epoch"] = 2;
  spec["dataset"]["labels"] = "relative.gz";
  const auto text = refusal(spec);
  EXPECT_NE(text.find("/params/spec/batch_size"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'epochs'?"), std::string::npos) << text;
  EXPECT_NE(text.find("/params/spec/dataset/labels"), std::string::npos) << text;
}

TEST_F(BadInput, AClassThatTheBoardDoesNotKnowIsRefused) {
  auto spec = test::training_json(dir_.path(), 1);
  spec["class"] = "light-cn";
  const auto text = refusal(spec);
  EXPECT_NE(text.find("/params/spec/class"), std::string::npos) << text;
  EXPECT_NE(text.find("light-cnn"), std::string::npos) << text;
}

TEST_F(BadInput, AnOutputThatCannotBeWrittenIsRefused) {
  auto spec = test::training_json(dir_.path(), 1);
  spec["output"] = dir_ / "missing" + "/weights.pt";
  EXPECT_NE(refusal(spec).find("/params/spec/output"), std::string::npos);
}

TEST_F(BadInput, AHugeLineIsAnsweredAndTheNextOneServed) {
  const auto fd = raw_connection();
  std::string line(10 << 20, 'x');
  line += "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"system.version\"}\n";
  std::size_t sent = 0;
  std::string answers;
  while (answers.find("\"id\":1") == std::string::npos) {
    if (sent < line.size()) {
      const auto n = ::send(fd.get(), line.data() + sent, line.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n > 0) sent += static_cast<std::size_t>(n);
    }
    char chunk[4096];
    const auto n = ::recv(fd.get(), chunk, sizeof chunk, sent < line.size() ? MSG_DONTWAIT : 0);
    ASSERT_NE(n, 0) << "it hung up: " << answers;
    if (n > 0) answers.append(chunk, static_cast<std::size_t>(n));
  }
  EXPECT_NE(answers.find("1048576"), std::string::npos) << "the limit is told: " << answers;
}

TEST_F(BadInput, AClientThatStopsReadingIsDropped) {
  const auto fd = raw_connection();
  const std::string request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.describe\"}\n";
  // Until the daemon hangs up; a socket that only fills would block us for ever, so do not wait.
  bool dropped = false;
  for (int i = 0; i < 2'000'000 && !dropped; ++i) {
    const auto n = ::send(fd.get(), request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    dropped = n < 0 && errno == EPIPE;
  }
  // Whether it was dropped or is no longer read from, others are served.
  EXPECT_NO_THROW(daemon_.call("system.version"));
}

}  // namespace
}  // namespace fulcrum

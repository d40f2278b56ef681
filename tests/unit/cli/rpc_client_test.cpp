#include "cli/rpc_client.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/scripted_server.h"
#include "tests/unit/daemon/server_thread.h"

namespace fulcrum::cli {
namespace {

using test::ScriptedServer;
using test::ServerThread;
using testing::HasSubstr;

RpcClient connected(const std::string& path, RpcClient::Limits limits = {}) {
  auto client = RpcClient::connect(path, limits);
  if (!client) throw std::runtime_error(client.error().faults.front().to_string());
  return *std::move(client);
}

Failure failure_of(const std::string& answer) {
  const ScriptedServer server(answer);
  auto client = connected(server.path());
  const auto result = client.call("job.list");
  return result ? Failure{} : result.error();
}

TEST(RpcClient, AnswersComeBack) {
  ServerThread server;
  auto client = connected(server.path());
  EXPECT_EQ(client.call("job.list"), (Json{{"jobs", Json::array()}}));
  EXPECT_EQ(client.call("job.list"), (Json{{"jobs", Json::array()}}));
}

TEST(RpcClient, ARefusalHasAllFaultsWithFieldAndHint) {
  ServerThread server;
  auto client = connected(server.path());
  const auto result = client.call("job.submit", {{"spec", {{"kind", "training"}, {"epoch", 1}}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::refused);
  EXPECT_EQ(result.error().rpc_code, -32602);
  ASSERT_EQ(result.error().faults.size(), 3u);
  EXPECT_EQ(result.error().faults[0].to_string(),
            "/params/spec/epoch: unknown field 'epoch' (did you mean 'epochs'?)");
}

TEST(RpcClient, ASocketThatIsMissingIsUnreachableAndSaysWhatToDo) {
  const auto client = RpcClient::connect("/nonexistent/control.sock");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().kind, FailureKind::unreachable);
  EXPECT_THAT(client.error().faults.front().to_string(), HasSubstr("is fulcrumd running?"));
}

TEST(RpcClient, APathTooLongForASocketIsUsage) {
  EXPECT_EQ(RpcClient::connect(std::string(200, 'x')).error().kind, FailureKind::usage);
}

TEST(RpcClient, GarbageIsToldAsSuch) {
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "[]\n", "{}\n", "\n",
                             "{\"id\":99,\"result\":1}\n", "\xff\xfe\n"}) {
    const auto failure = failure_of(answer);
    EXPECT_EQ(failure.kind, FailureKind::unreachable) << answer;
    ASSERT_FALSE(failure.faults.empty()) << answer;
    EXPECT_EQ(failure.faults.front().code, ErrorCode::corrupt) << answer;
  }
}

TEST(RpcClient, AnErrorWithoutDetailsIsStillARefusal) {
  const auto failure = failure_of("{\"id\":1,\"error\":{\"code\":-32004,\"message\":\"not now\"}}\n");
  EXPECT_EQ(failure.kind, FailureKind::refused);
  EXPECT_EQ(failure.faults.front().message, "not now");
}

TEST(RpcClient, AnErrorWithOddDetailsIsStillARefusal) {
  const auto failure =
      failure_of("{\"id\":1,\"error\":{\"code\":\"x\",\"message\":3,\"data\":{\"faults\":[1]}}}\n");
  EXPECT_EQ(failure.kind, FailureKind::refused);
  EXPECT_EQ(failure.faults.size(), 1u);
}

TEST(RpcClient, AConnectionThatClosesIsUnreachable) {
  EXPECT_THAT(failure_of("").faults.front().message, HasSubstr("closed the connection"));
}

TEST(RpcClient, ADaemonThatHangsIsGivenUp) {
  const ScriptedServer server("", true);
  auto client = connected(server.path(), {from_ms(10), 1024});
  const auto result = client.call("job.list");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().faults.front().code, ErrorCode::timed_out);
}

TEST(RpcClient, ALineWithoutEndIsGivenUp) {
  const ScriptedServer server(std::string(5000, 'x'), true);
  auto client = connected(server.path(), {std::chrono::minutes(1), 1024});
  EXPECT_EQ(client.call("job.list").error().faults.front().code, ErrorCode::corrupt);
}

TEST(RpcClient, OneClientTooManyIsToldWhy) {
  ServerThread server([](auto& options) { options.max_clients = 1; });
  auto first = connected(server.path());
  ASSERT_TRUE(first.call("job.list"));
  auto second = connected(server.path());
  const auto result = second.call("job.list");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::refused);
  EXPECT_THAT(result.error().faults.front().message, HasSubstr("which is the limit"));
}

TEST(RpcClient, EventsThatArriveDuringACallAreKept) {
  ServerThread server;
  server.control().first_events = {Json{{"job", 1}, {"event", "state"}}};
  auto client = connected(server.path());
  ASSERT_TRUE(client.call("job.watch"));
  ASSERT_TRUE(client.call("job.list"));
  EXPECT_EQ(client.next_event()->at("event"), "state");
}

TEST(RpcClient, NoEventInTimeIsToldAsSuch) {
  ServerThread server;
  auto client = connected(server.path());
  ASSERT_TRUE(client.call("job.watch"));
  EXPECT_EQ(client.next_event(from_ms(1)).error().faults.front().code, ErrorCode::timed_out);
}

}  // namespace
}  // namespace fulcrum::cli

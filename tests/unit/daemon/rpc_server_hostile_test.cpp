// Clients that mean harm, or are broken: each gets a clear error or is dropped, and the others notice
// nothing.

#include <gmock/gmock.h>

#include "daemon/rpc_server.h"
#include "tests/unit/daemon/server_thread.h"

namespace fulcrum::daemon {
namespace {

using test::RawClient;
using test::ServerThread;
using testing::HasSubstr;

const std::string list_request = R"({"jsonrpc":"2.0","id":1,"method":"job.list"})"
                                 "\n";

class HostileClient : public testing::Test {
 protected:
  void TearDown() override {  // a bystander is served whatever happened before
    RawClient bystander(server_.path());
    ASSERT_TRUE(bystander.send(list_request));
    EXPECT_TRUE(bystander.json().contains("result"));
  }

  static int code_of(const Json& answer) { return answer.at("error").at("code").get<int>(); }

  ServerThread server_{[](auto& options) { options.limits.write_queue_bytes = 65536; }};
};

TEST_F(HostileClient, GarbageGetsAParseErrorAndTheNextLineIsServed) {
  RawClient client(server_.path());
  client.send("\x01\x02\xff garbage\n" + list_request);
  EXPECT_EQ(code_of(client.json()), -32700);
  EXPECT_TRUE(client.json().contains("result"));
}

TEST_F(HostileClient, ZeroBytesGetAParseError) {
  RawClient client(server_.path());
  client.send(std::string("{\"a\0b\": 1}\n", 11) + list_request);
  EXPECT_EQ(code_of(client.json()), -32700);
  EXPECT_TRUE(client.json().contains("result"));
}

TEST_F(HostileClient, TenMebibytesInOneLineGetTheLimitAndTheNextLineIsServed) {
  RawClient client(server_.path());
  ASSERT_TRUE(client.send(std::string(10 << 20, 'x') + "\n" + list_request));
  const auto answer = client.json();
  EXPECT_EQ(code_of(answer), -32700);
  EXPECT_THAT(answer.at("error").at("message").get<std::string>(), HasSubstr("longer than 1048576 bytes"));
  EXPECT_TRUE(client.json().contains("result"));
}

TEST_F(HostileClient, ALineThatNeverEndsIsClosedAfterTheIdleTime) {
  ServerThread server([](auto& options) { options.limits.idle_timeout = from_ms(20); });
  RawClient client(server.path());
  const std::string chunk(4096, 'x');
  while (client.send(chunk)) {
  }
  EXPECT_EQ(server.clients(), 0u);
}

TEST_F(HostileClient, DeepNestingGetsAParseError) {
  RawClient client(server_.path());
  ASSERT_TRUE(client.send(std::string(500000, '[') + "\n"));
  EXPECT_EQ(code_of(client.json()), -32700);
}

TEST_F(HostileClient, ManyRequestsWithoutReadingAreHeldBackAndThenAllAnswered) {
  RawClient client(server_.path());
  std::string flood;
  for (int i = 0; i < 20000; ++i)
    flood += list_request;
  std::size_t sent = 0;
  std::size_t read = 0;
  while (read < 20000) {
    sent += client.send_some(std::string_view(flood).substr(sent));
    if (sent < flood.size() && read == 0) {
      // The server has stopped reading: what it holds is bounded. Only now the client reads.
      RawClient bystander(server_.path());
      bystander.send(list_request);
      ASSERT_TRUE(bystander.json().contains("result"));
    }
    ASSERT_TRUE(client.line());
    ++read;
  }
}

TEST_F(HostileClient, AWatcherThatDoesNotReadIsDropped) {
  RawClient client(server_.path());
  client.send(R"({"jsonrpc":"2.0","id":1,"method":"job.watch"})"
              "\n");
  client.json();
  const Json event{{"job", 1}, {"event", "progress"}, {"padding", std::string(4096, 'x')}};
  server_.wait_until([&] {
    server_.control().emit(event);
    return server_.control().sinks.empty();
  });
  EXPECT_EQ(server_.clients(), 0u);
}

TEST_F(HostileClient, AnotherWatcherIsNotDisturbedByOneThatDoesNotRead) {
  RawClient sleeper(server_.path());
  RawClient reader(server_.path());
  const std::string watch = R"({"jsonrpc":"2.0","id":1,"method":"job.watch"})"
                            "\n";
  sleeper.send(watch);
  sleeper.json();
  reader.send(watch);
  reader.json();
  const Json event{{"job", 1}, {"event", "progress"}, {"padding", std::string(4096, 'x')}};
  while (server_.on_thread([&] { return server_.control().sinks.size(); }) == 2) {
    server_.on_thread([&] { server_.control().emit(event); });
    ASSERT_EQ(reader.json().at("params").at("event"), "progress");
  }
}

TEST_F(HostileClient, GoingInTheMiddleOfAPendingReplyDoesNoHarm) {
  server_.control().hold_submits = true;
  RawClient client(server_.path());
  const auto spec = Json::parse(R"({"kind": "training", "model": {"builtin": "lenet5"},
                                    "dataset": {"format": "idx", "images": "/i", "labels": "/l"}})");
  client.send(
      to_line({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "job.submit"}, {"params", {{"spec", spec}}}}) +
      "\n");
  server_.wait_until([&] { return server_.control().held.size() == 1; });
  client.disconnect();
  server_.on_thread([&] { server_.control().held.front()(Json{{"id", 4}}); });
  while (server_.clients() > 0)
    std::this_thread::yield();
}

TEST_F(HostileClient, RequestsInFlightAreLimited) {
  server_.control().hold_submits = true;
  RawClient client(server_.path());
  const auto spec = Json::parse(R"({"kind": "training", "model": {"builtin": "lenet5"},
                                    "dataset": {"format": "idx", "images": "/i", "labels": "/l"}})");
  const auto line =
      to_line({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "job.submit"}, {"params", {{"spec", spec}}}}) + "\n";
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += line;
  client.send(all);
  server_.wait_until([&] { return server_.control().held.size() == RpcSession::Limits{}.max_in_flight; });
  // Each answer lets one more in, until all have been.
  for (std::size_t i = 0; i < 50; ++i) {
    server_.wait_until([&] { return server_.control().held.size() > i; });
    server_.on_thread([&] {
      EXPECT_LE(server_.control().held.size() - i, RpcSession::Limits{}.max_in_flight);
      const auto reply = server_.control().held[i];
      reply(Json{{"id", 4}});
    });
    ASSERT_TRUE(client.json().contains("result"));
  }
}

TEST_F(HostileClient, AnObjectWithThousandsOfUnknownFieldsGetsABoundedAnswer) {
  RawClient client(server_.path());
  Json params;
  for (int i = 0; i < 5000; ++i)
    params["unknown_field_" + std::to_string(i)] = i;
  client.send(to_line({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "job.list"}, {"params", params}}) + "\n");
  const auto answer = client.json();
  EXPECT_EQ(code_of(answer), -32602);
  EXPECT_EQ(answer.at("error").at("data").at("faults").size(), Schema::kMaxFaults);
}

TEST_F(HostileClient, ConnectingAndGoingAThousandTimesLeavesNothing) {
  for (int i = 0; i < 1000; ++i)
    RawClient(server_.path()).disconnect();
  while (server_.clients() > 0)
    std::this_thread::yield();
}

}  // namespace
}  // namespace fulcrum::daemon

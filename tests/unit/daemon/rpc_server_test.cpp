#include "daemon/rpc_server.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/unit/daemon/server_thread.h"

namespace fulcrum::daemon {
namespace {

using test::RawClient;
using test::ServerThread;
using testing::HasSubstr;

std::string request(const std::string& method, int id = 1) {
  return to_line({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}}) + "\n";
}

std::string submit_request() {
  const auto spec = Json::parse(R"({"kind": "training", "model": {"builtin": "lenet5"},
                                    "dataset": {"format": "idx", "images": "/i", "labels": "/l"}})");
  return to_line({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "job.submit"}, {"params", {{"spec", spec}}}}) +
         "\n";
}

TEST(RpcServer, AnswersARequest) {
  ServerThread server;
  RawClient client(server.path());
  client.send(request("job.list", 7));
  EXPECT_EQ(client.json(), Json::parse(R"({"jsonrpc":"2.0","id":7,"result":{"jobs":[]}})"));
}

TEST(RpcServer, AnswersManyRequestsInOneWriteInOrder) {
  ServerThread server;
  RawClient client(server.path());
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += request("job.list", i);
  client.send(all);
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(client.json().at("id"), i);
}

TEST(RpcServer, BlankLinesAreNothing) {
  ServerThread server;
  RawClient client(server.path());
  client.send("\n  \n\r\n" + request("job.list", 3));
  EXPECT_EQ(client.json().at("id"), 3);
}

TEST(RpcServer, AClientThatHasEndedItsInputStillGetsItsAnswers) {
  ServerThread server;
  RawClient client(server.path());
  client.send(request("job.list", 1) + request("job.list", 2));
  client.end_input();
  EXPECT_EQ(client.json().at("id"), 1);
  EXPECT_EQ(client.json().at("id"), 2);
  EXPECT_TRUE(client.at_end());
}

TEST(RpcServer, TheLastLineNeedsNoNewline) {
  ServerThread server;
  RawClient client(server.path());
  auto text = request("job.list", 9);
  text.pop_back();
  client.send(text);
  client.end_input();
  EXPECT_EQ(client.json().at("id"), 9);
}

TEST(RpcServer, AClientThatHasEndedItsInputGetsAnAnswerThatComesLater) {
  ServerThread server;
  server.control().hold_submits = true;
  RawClient client(server.path());
  client.send(submit_request());
  client.end_input();
  server.wait_until([&] { return server.control().held.size() == 1; });
  server.on_thread([&] { server.control().held.front()(Json{{"id", 4}}); });
  EXPECT_EQ(client.json().at("result").at("id"), 4);
  EXPECT_TRUE(client.at_end());
}

TEST(RpcServer, EventsReachAWatcherUntilItGoes) {
  ServerThread server;
  RawClient client(server.path());
  client.send(request("job.watch"));
  EXPECT_TRUE(client.json().contains("result"));
  server.on_thread([&] { server.control().emit({{"job", 1}, {"event", "progress"}}); });
  EXPECT_EQ(client.json().at("params").at("event"), "progress");
  client.disconnect();
  server.wait_until([&] { return server.control().sinks.empty(); });
  EXPECT_EQ(server.clients(), 0u);
}

TEST(RpcServer, AWatcherThatHasEndedItsInputStillGetsEvents) {
  ServerThread server;
  RawClient client(server.path());
  client.send(request("job.watch"));
  client.end_input();
  EXPECT_TRUE(client.json().contains("result"));
  server.on_thread([&] { server.control().emit({{"job", 1}, {"event", "progress"}}); });
  EXPECT_EQ(client.json().at("params").at("event"), "progress");
  client.disconnect();
  server.wait_until([&] { return server.control().sinks.empty(); });
}

TEST(RpcServer, OneClientTooManyIsToldAndClosed) {
  ServerThread server([](auto& options) { options.max_clients = 2; });
  RawClient first(server.path());
  RawClient second(server.path());
  first.send(request("job.list"));
  first.json();
  second.send(request("job.list"));
  second.json();
  RawClient third(server.path());
  const auto answer = third.json();
  EXPECT_EQ(answer.at("error").at("data").at("reason"), "busy");
  EXPECT_TRUE(third.at_end());
  first.send(request("job.list", 5));
  EXPECT_EQ(first.json().at("id"), 5);
}

TEST(RpcServer, AnIdleClientIsClosed) {
  ServerThread server([](auto& options) { options.limits.idle_timeout = from_ms(20); });
  RawClient client(server.path());
  EXPECT_TRUE(client.at_end());
}

TEST(RpcServer, AnIdleWatcherIsNotClosed) {
  ServerThread server([](auto& options) { options.limits.idle_timeout = from_ms(20); });
  RawClient watcher(server.path());
  watcher.send(request("job.watch"));
  watcher.json();
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(RawClient(server.path()).at_end());  // several idle times pass
  server.on_thread([&] { server.control().emit({{"job", 1}, {"event", "progress"}}); });
  EXPECT_EQ(watcher.json().at("params").at("event"), "progress");
}

TEST(RpcServer, AClientWithAnUnansweredRequestIsNotIdle) {
  ServerThread server([](auto& options) { options.limits.idle_timeout = from_ms(20); });
  server.control().hold_submits = true;
  RawClient client(server.path());
  client.send(submit_request());
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(RawClient(server.path()).at_end());
  server.on_thread([&] { server.control().held.front()(Json{{"id", 4}}); });
  EXPECT_EQ(client.json().at("result").at("id"), 4);
}

TEST(RpcServer, StopEndsConnectionsAndRemovesTheSocket) {
  ServerThread server;
  RawClient client(server.path());
  client.send(request("job.watch"));
  client.json();
  server.stop();
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(server.control().sinks.empty());
  EXPECT_FALSE(std::filesystem::exists(server.path()));
}

TEST(RpcServer, AnAnswerAfterStopDoesNoHarm) {
  ServerThread server;
  server.control().hold_submits = true;
  RawClient client(server.path());
  client.send(submit_request());
  server.wait_until([&] { return server.control().held.size() == 1; });
  server.stop();
  server.on_thread([&] { server.control().held.front()(Json{{"id", 4}}); });
  EXPECT_TRUE(client.at_end());
}

TEST(RpcServer, ASecondServerOnTheSameSocketIsRefused) {
  ServerThread server;
  boost::asio::io_context io;
  const RpcDispatcher dispatcher;
  RpcServer::Options options;
  options.socket_path = server.path();
  const auto second = RpcServer::start(io, options, dispatcher, make_null_logger());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_THAT(second.error().to_string(), HasSubstr("another fulcrumd"));
}

TEST(RpcServer, OptionsComeFromTheConfiguration) {
  DaemonConfig config;
  config.runtime_dir = "/r";
  config.rpc.max_clients = 3;
  config.rpc.idle_timeout_s = 1.5;
  const auto options = RpcServer::Options::from(config);
  EXPECT_EQ(options.socket_path, "/r/control.sock");
  EXPECT_EQ(options.max_clients, 3u);
  EXPECT_EQ(options.limits.idle_timeout, from_ms(1500));
}

}  // namespace
}  // namespace fulcrum::daemon

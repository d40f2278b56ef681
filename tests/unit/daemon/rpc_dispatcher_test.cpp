#include "daemon/rpc_dispatcher.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "daemon/rpc_methods.h"
#include "tests/unit/daemon/fake_control.h"

namespace fulcrum::daemon {
namespace {

using test::FakeControl;
using testing::ElementsAre;
using testing::HasSubstr;

class RecordingPeer final : public RpcPeer {
 public:
  void send_event(std::string line) override { events.push_back(Json::parse(line)); }
  std::vector<Json> events;
};

class RpcTest : public testing::Test {
 protected:
  // The answer as text; "" for none, "<later>" if it has not come yet.
  std::string answer_to(const std::string& line) {
    auto answer = std::make_shared<std::string>("<later>");
    answers_.push_back(answer);
    dispatcher_.handle(line, peer_,
                       [answer](std::optional<std::string> text) { *answer = text.value_or(""); });
    return *answer;
  }
  Json call(const std::string& line) { return Json::parse(answer_to(line)); }
  Json call(const std::string& method, const Json& params) {
    return call(to_line({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}));
  }
  static int code_of(const Json& answer) { return answer.at("error").at("code").get<int>(); }
  static std::string message_of(const Json& answer) {
    return answer.at("error").at("message").get<std::string>();
  }

  FakeControl control_;
  RpcDispatcher dispatcher_ = make_dispatcher(control_).value();
  std::shared_ptr<RecordingPeer> peer_ = std::make_shared<RecordingPeer>();
  std::vector<std::shared_ptr<std::string>> answers_;
};

Json spec() {
  return Json::parse(R"({"kind": "training", "model": {"builtin": "lenet5"},
                         "dataset": {"format": "idx", "images": "/i", "labels": "/l"}})");
}

TEST_F(RpcTest, AnAnswerHasTheIdOfItsRequest) {
  EXPECT_EQ(call(R"({"jsonrpc":"2.0","id":"x","method":"job.list"})"),
            Json::parse(R"({"jsonrpc":"2.0","id":"x","result":{"jobs":[]}})"));
  EXPECT_EQ(call(R"({"jsonrpc":"2.0","id":7.5,"method":"job.list"})").at("id"), 7.5);
  EXPECT_EQ(call(R"({"jsonrpc":"2.0","id":null,"method":"job.list"})").at("id"), nullptr);
}

TEST_F(RpcTest, ANotificationGetsNoAnswerEvenIfItFails) {
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"job.list"})"), "");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"job.get","params":{"id":9}})"), "");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"no.such"})"), "");
}

TEST_F(RpcTest, TextThatIsNoJsonIsAParseError) {
  for (const char* text : {"", "{", "hello", "{\"a\":1}{", "\xff\xfe", "[1,2"}) {
    const auto answer = call(text);
    EXPECT_EQ(code_of(answer), -32700) << text;
    EXPECT_EQ(answer.at("id"), nullptr);
  }
}

TEST_F(RpcTest, AZeroByteIsAParseError) {
  EXPECT_EQ(code_of(call(std::string("{}\0", 3))), -32700);
}

TEST_F(RpcTest, DeepNestingIsAParseError) {
  EXPECT_EQ(code_of(call(std::string(500000, '['))), -32700);
  EXPECT_EQ(code_of(call(std::string(1000, '[') + std::string(1000, ']'))), -32700);
}

TEST_F(RpcTest, WhatIsNoRequestIsAnInvalidRequest) {
  for (const char* text :
       {"1", "\"a\"", "null", "{}", R"({"jsonrpc":"1.0","id":1,"method":"job.list"})",
        R"({"jsonrpc":"2.0","id":1,"method":3})", R"({"jsonrpc":"2.0","id":{},"method":"job.list"})"}) {
    EXPECT_EQ(code_of(call(text)), -32600) << text;
  }
}

TEST_F(RpcTest, AMisspeltMemberIsToldWithTheNearestName) {
  const auto answer = call(R"({"jsonrpc":"2.0","id":1,"method":"job.list","parms":{}})");
  EXPECT_EQ(code_of(answer), -32600);
  EXPECT_EQ(answer.at("error").at("data").at("hint"), "did you mean 'params'?");
}

TEST_F(RpcTest, AnUnknownMethodIsToldWithTheNearestName) {
  const auto answer = call("job.lst", Json::object());
  EXPECT_EQ(code_of(answer), -32601);
  EXPECT_EQ(answer.at("error").at("data").at("hint"), "did you mean 'job.list'?");
  EXPECT_EQ(answer.at("error").at("data").at("reason"), "method_not_found");
}

TEST_F(RpcTest, ParametersByPositionAreRefused) {
  const auto answer = call("job.get", Json::array({1}));
  EXPECT_EQ(code_of(answer), -32602);
  EXPECT_EQ(message_of(answer), "/params: must be an object, is a list");
}

TEST_F(RpcTest, AllFaultsOfTheParametersAreTold) {
  auto bad = spec();
  bad["batch_size"] = 0;
  bad["epoch"] = 1;
  const auto answer = call("job.submit", {{"spec", bad}});
  EXPECT_EQ(code_of(answer), -32602);
  const auto& data = answer.at("error").at("data");
  ASSERT_EQ(data.at("faults").size(), 2u);
  EXPECT_EQ(data.at("field"), data.at("faults").at(0).at("field"));
  EXPECT_EQ(message_of(answer).substr(message_of(answer).size() - 13), " (and 1 more)");
  EXPECT_THAT(control_.submitted, testing::IsEmpty());
}

TEST_F(RpcTest, ABatchIsAnsweredInOrderWithoutNotifications) {
  const auto answer =
      call(R"([{"jsonrpc":"2.0","id":1,"method":"job.list"},{"jsonrpc":"2.0","method":"job.list"},
                               7,{"jsonrpc":"2.0","id":2,"method":"no.such"}])");
  ASSERT_EQ(answer.size(), 3u);
  EXPECT_EQ(answer[0].at("id"), 1);
  EXPECT_EQ(code_of(answer[1]), -32600);
  EXPECT_EQ(code_of(answer[2]), -32601);
}

TEST_F(RpcTest, ABatchOfNotificationsGetsNoAnswer) {
  EXPECT_EQ(answer_to(R"([{"jsonrpc":"2.0","method":"job.list"}])"), "");
}

TEST_F(RpcTest, ABatchWaitsForItsLastAnswer) {
  control_.hold_submits = true;
  const Json submit{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "job.submit"}, {"params", {{"spec", spec()}}}};
  const Json list{{"jsonrpc", "2.0"}, {"id", 2}, {"method", "job.list"}};
  EXPECT_EQ(answer_to(to_line(Json::array({submit, list}))), "<later>");
  control_.held.front()(Json{{"id", 5}});
  const auto answer = Json::parse(*answers_.back());
  EXPECT_EQ(answer[0].at("result").at("id"), 5);
  EXPECT_EQ(answer[1].at("id"), 2);
}

TEST_F(RpcTest, AnEmptyOrTooLargeBatchIsOneError) {
  EXPECT_EQ(code_of(call("[]")), -32600);
  const auto answer = call(to_line(Json(std::vector<int>(101, 0))));
  EXPECT_EQ(code_of(answer), -32600);
  EXPECT_THAT(message_of(answer), HasSubstr("from 1 to 100"));
}

TEST_F(RpcTest, ASecondReplyIsIgnored) {
  control_.hold_submits = true;
  EXPECT_EQ(answer_to(to_line(
                {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "job.submit"}, {"params", {{"spec", spec()}}}})),
            "<later>");
  control_.held.front()(Json{{"id", 5}});
  control_.held.front()(Json{{"id", 6}});
  EXPECT_EQ(Json::parse(*answers_.back()).at("result").at("id"), 5);
}

TEST_F(RpcTest, SubmitHandsOnSpecTokenAndDryRun) {
  call("job.submit", {{"spec", spec()}, {"client_token", "t"}, {"dry_run", true}});
  ASSERT_EQ(control_.submitted.size(), 1u);
  EXPECT_EQ(control_.submitted[0].spec, spec());
  EXPECT_EQ(control_.submitted[0].client_token, "t");
  EXPECT_TRUE(control_.submitted[0].dry_run);
}

TEST_F(RpcTest, FaultsOfTheSpecAreToldWithTheirPlaceInTheRequest) {
  control_.submit_answer = faulty(make_fault(ErrorCode::permission_denied, "opening '/i': Permission denied",
                                             "chmod o+r '/i'", "/dataset/images"));
  const auto answer = call("job.submit", {{"spec", spec()}});
  EXPECT_EQ(code_of(answer), -32001);
  EXPECT_EQ(answer.at("error").at("data").at("field"), "/params/spec/dataset/images");
  EXPECT_EQ(answer.at("error").at("data").at("hint"), "chmod o+r '/i'");
  EXPECT_EQ(answer.at("error").at("data").at("reason"), "permission_denied");
}

TEST_F(RpcTest, AnUnknownJobIsNotFound) {
  for (const char* method : {"job.get", "job.cancel", "job.result", "job.watch"}) {
    EXPECT_EQ(code_of(call(method, {{"id", 9}})), -32000) << method;
  }
}

TEST_F(RpcTest, CancelReachesTheControl) {
  control_.job_list = Json::array({FakeControl::summary(3, "fashion", "running")});
  EXPECT_EQ(call("job.cancel", {{"id", 3}}).at("result").at("state"), "cancelled");
  EXPECT_THAT(control_.cancelled, ElementsAre(3));
}

TEST_F(RpcTest, DescribeNamesEveryMethodWithItsSchemas) {
  const auto methods = call("rpc.describe", Json::object()).at("result").at("methods");
  EXPECT_EQ(methods.size(), load_method_table()->size());
  for (const auto& method : methods)
    EXPECT_TRUE(method.at("params").is_object());
}

TEST_F(RpcTest, VersionNamesTheApi) {
  const auto version = call("system.version", Json::object()).at("result");
  EXPECT_EQ(version.at("api"), 1);
  EXPECT_TRUE(version.at("libraries").contains("sqlite"));
}

TEST_F(RpcTest, EventsFollowTheAnswerToWatchAndCarryItsNumber) {
  control_.first_events = {Json{{"job", 1}, {"event", "state"}, {"state", "running"}}};
  const auto answer = call("job.watch", Json::object());
  const auto subscription = answer.at("result").at("subscription");
  control_.emit({{"job", 1}, {"event", "progress"}});
  ASSERT_EQ(peer_->events.size(), 2u);
  EXPECT_EQ(peer_->events[0].at("method"), "job.event");
  EXPECT_EQ(peer_->events[0].at("params").at("state"), "running");
  EXPECT_EQ(peer_->events[1].at("params").at("subscription"), subscription);
  EXPECT_FALSE(peer_->events[0].contains("id"));
}

TEST_F(RpcTest, UnwatchEndsTheEvents) {
  const auto subscription = call("job.watch", Json::object()).at("result").at("subscription");
  EXPECT_TRUE(call("job.unwatch", {{"subscription", subscription}}).contains("result"));
  EXPECT_TRUE(control_.sinks.empty());
  EXPECT_EQ(code_of(call("job.unwatch", {{"subscription", subscription}})), -32000);
}

TEST_F(RpcTest, AnotherPeersSubscriptionCannotBeEnded) {
  const auto subscription = call("job.watch", Json::object()).at("result").at("subscription");
  peer_ = std::make_shared<RecordingPeer>();
  EXPECT_EQ(code_of(call("job.unwatch", {{"subscription", subscription}})), -32000);
  EXPECT_EQ(control_.sinks.size(), 1u);
}

TEST_F(RpcTest, SubscriptionsOfAPeerAreLimited) {
  for (std::size_t i = 0; i < RpcPeer::kMaxSubscriptions; ++i)
    call("job.watch", Json::object());
  EXPECT_EQ(code_of(call("job.watch", Json::object())), -32006);
}

TEST_F(RpcTest, AnEventForAPeerThatIsGoneIsLost) {
  call("job.watch", Json::object());
  peer_.reset();
  control_.emit({{"job", 1}, {"event", "progress"}});
}

TEST_F(RpcTest, AHandlerThatThrowsIsAnInternalError) {
  RpcDispatcher dispatcher;
  MethodDescription method{"bad", "", Json::object(), Json::object(), {}};
  ASSERT_TRUE(dispatcher.add(method, [](const RpcDispatcher::Call&, const RpcDispatcher::Reply&) {
    throw std::runtime_error("oops");
  }));
  Json answer;
  dispatcher.handle(R"({"jsonrpc":"2.0","id":1,"method":"bad"})", peer_,
                    [&](std::optional<std::string> text) { answer = Json::parse(text.value()); });
  EXPECT_EQ(code_of(answer), -32603);
}

TEST_F(RpcTest, AMethodCannotBeDeclaredTwice) {
  RpcDispatcher dispatcher;
  const MethodDescription method{"m", "", Json::object(), Json::object(), {}};
  ASSERT_TRUE(dispatcher.add(method, {}));
  EXPECT_EQ(dispatcher.add(method, {}).error().code, ErrorCode::already_exists);
}

RC_GTEST_FIXTURE_PROP(RpcTest, AnyBytesGetOneLineOfJson, (const std::string& bytes)) {
  const auto answer = answer_to(bytes);
  RC_ASSERT(answer.find('\n') == std::string::npos);
  RC_ASSERT(Json::parse(answer).at("jsonrpc") == "2.0");
}

}  // namespace
}  // namespace fulcrum::daemon

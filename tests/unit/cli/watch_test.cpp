#include "cli/watch.h"

#include <gmock/gmock.h>

#include <future>
#include <sstream>

#include "tests/unit/cli/odd_answers.h"
#include "tests/unit/daemon/server_thread.h"

namespace fulcrum::cli {
namespace {

using test::FakeControl;
using test::ServerThread;
using testing::HasSubstr;

Json state(JobId job, const std::string& name) {
  return {{"job", job}, {"name", "fashion"}, {"event", "state"}, {"state", name}};
}
Json progress(JobId job, int epoch) {
  return {{"job", job}, {"event", "progress"}, {"progress", {{"epoch", epoch}}}};
}

Json search(JobId job, const std::string& state) {
  return {{"job", job}, {"event", "search"}, {"name", "fashion"}, {"search", {{"state", state}}}};
}
Json fault(JobId job) {
  return {
      {"job", job}, {"name", "fashion"}, {"event", "fault"}, {"fault", {{"message", "the worker exited"}}}};
}

Json probe(JobId job, const std::string& state) {
  return {{"job", job},
          {"event", "probe"},
          {"name", "fashion"},
          {"probe", {{"number", 3}, {"task", "training"}, {"batch_size", 16}, {"state", state}}}};
}

class ProgressViewTest : public testing::Test {
 protected:
  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
  Terminal terminal_{in_, out_, err_};
};

TEST_F(ProgressViewTest, InAPipeEachEventIsALine) {
  ProgressView view(terminal_, false);
  view.show(state(1, "running"));
  view.show(progress(1, 1));
  EXPECT_EQ(out_.str(), "job 1  fashion  running\njob 1  fashion  running  epoch 1\n");
}

TEST_F(ProgressViewTest, AnEpochIsTold) {
  ProgressView view(terminal_, false);
  view.show({{"job", 1},
             {"name", "fashion"},
             {"event", "epoch"},
             {"state", "running"},
             {"epoch", {{"epoch", 2}, {"train_loss", 0.25}, {"loss", 0.5}, {"accuracy", 0.875}}}});
  EXPECT_THAT(out_.str(), HasSubstr("epoch 2 ended  loss 0.250  validation loss 0.500  accuracy 87.50 %"));
}

TEST_F(ProgressViewTest, AFaultIsTold) {
  ProgressView view(terminal_, false);
  view.show(state(1, "running"));
  view.show(fault(1));
  EXPECT_NE(out_.str().find("fault: the worker exited"), std::string::npos) << out_.str();
}

TEST_F(ProgressViewTest, OnATerminalEachJobKeepsItsLine) {
  terminal_.redraws = true;
  ProgressView view(terminal_, false);
  view.show(state(2, "running"));
  view.show(state(1, "queued"));
  out_.str("");
  view.show(progress(1, 3));
  EXPECT_EQ(out_.str(),
            "\x1b[2A\r\x1b[2Kjob 1  fashion  queued  epoch 3\n\r\x1b[2Kjob 2  fashion  running\n");
}

TEST_F(ProgressViewTest, OnATerminalAJobThatIsProfiledGoesOnToShowItsLastProbe) {
  terminal_.redraws = true;
  ProgressView view(terminal_, false);
  view.show(state(2, "profiling"));
  view.show(probe(2, "measured"));
  const Json while_profiling{
      {"job", 2}, {"event", "progress"}, {"state", "profiling"}, {"progress", {{"epoch", 0}}}};
  out_.str("");
  view.show(while_profiling);
  EXPECT_NE(out_.str().find("probe 3"), std::string::npos) << out_.str();
  view.show(state(2, "running"));
  out_.str("");
  view.show(progress(2, 1));
  EXPECT_EQ(out_.str().find("probe 3"), std::string::npos) << out_.str();
}

TEST_F(ProgressViewTest, OnATerminalNoLineIsWiderThanIt) {
  terminal_.redraws = true;
  terminal_.columns = 10;
  ProgressView view(terminal_, false);
  view.show(state(1, "running"));
  EXPECT_EQ(out_.str(), "\r\x1b[2Kjob 1  f…\n");
}

TEST_F(ProgressViewTest, InAPipeASearchAndItsProbesAreLinesOfTheirOwn) {
  ProgressView view(terminal_, false);
  view.show(state(2, "profiling"));
  out_.str("");
  view.show(search(2, "begun"));
  view.show(probe(2, "measured"));
  view.show(probe(2, "invalid"));
  EXPECT_EQ(out_.str(),
            "job 2  fashion  search begun\njob 2  fashion  probe 3: training batch 16\n"
            "job 2  fashion  probe 3: training batch 16: invalid\n");
}

TEST_F(ProgressViewTest, InAPipeTheBeginningOfAProbeIsNoLine) {
  ProgressView view(terminal_, false);
  view.show(probe(2, "begun"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(ProgressViewTest, OnATerminalASearchStandsInPlaceOfTheProgress) {
  terminal_.redraws = true;
  ProgressView view(terminal_, false);
  view.show(state(2, "profiling"));
  view.show(progress(2, 3));
  out_.str("");
  view.show(probe(2, "begun"));
  EXPECT_EQ(out_.str(), "\x1b[1A\r\x1b[2Kjob 2  fashion  profiling  probe 3: training batch 16\n");
}

TEST_F(ProgressViewTest, AfterASearchTheProgressIsShownAgain) {
  terminal_.redraws = true;
  ProgressView view(terminal_, false);
  view.show(progress(2, 3));
  view.show(search(2, "ended"));
  out_.str("");
  view.show(state(2, "running"));
  EXPECT_EQ(out_.str(), "\x1b[1A\r\x1b[2Kjob 2  fashion  running  epoch 3\n");
}

TEST_F(ProgressViewTest, EventsWithOddPartsAreSurvivedAndCannotSteerTheTerminal) {
  for (const auto& event :
       {search(2, "begun"), probe(2, "measured"), fault(2), progress(1, 1), state(1, "failed")}) {
    test::for_each_odd(event, [&](const Json& odd) { ProgressView(terminal_, false).show(odd); });
  }
  EXPECT_THAT(out_.str(), testing::Not(HasSubstr("\x1b")));
}

TEST_F(ProgressViewTest, AsJsonEventsAreWhatTheyWere) {
  ProgressView view(terminal_, true);
  view.show(progress(1, 3));
  EXPECT_EQ(Json::parse(out_.str()), progress(1, 3));
}

TEST_F(ProgressViewTest, NamesCannotSteerTheTerminal) {
  ProgressView view(terminal_, false);
  view.show({{"job", 1}, {"name", "\x1b[2J"}});
  EXPECT_EQ(out_.str(), "job 1  ?[2J\n");
}

class WatchTest : public ProgressViewTest {
 protected:
  void SetUp() override {
    server_.control().job_list = Json::array({FakeControl::summary(1, "fashion", "running")});
    options_.socket = server_.path();
    options_.job = 1;
    options_.reconnect_every = from_ms(1);
  }
  std::future<Outcome<void>> start() {
    return std::async(std::launch::async, [this] {
      return watch(options_, RpcClient::connect(options_.socket).value(), terminal_);
    });
  }
  void await_watcher() {
    server_.wait_until([this] { return !server_.control().sinks.empty(); });
  }
  void emit(const Json& event) {
    server_.on_thread([&] { server_.control().emit(event); });
  }

  ServerThread server_;
  WatchOptions options_;
};

TEST_F(WatchTest, EndsWellWhenTheJobIsDone) {
  auto outcome = start();
  await_watcher();
  emit(progress(1, 1));
  emit(state(1, "done"));
  EXPECT_TRUE(outcome.get());
  EXPECT_THAT(out_.str(), HasSubstr("epoch 1"));
}

TEST_F(WatchTest, AFailedJobIsAFailureWithItsReason) {
  auto outcome = start();
  await_watcher();
  auto failed = state(1, "failed");
  failed["error"] = "out of memory";
  emit(failed);
  const auto result = outcome.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::refused);
  EXPECT_EQ(result.error().faults.front().message, "job 1 failed: out of memory");
}

TEST_F(WatchTest, ACancelledJobIsAFailure) {
  auto outcome = start();
  await_watcher();
  emit(state(1, "cancelled"));
  EXPECT_FALSE(outcome.get());
}

TEST_F(WatchTest, TheEndOfAnotherJobIsNotTheEnd) {
  auto outcome = start();
  await_watcher();
  emit(state(2, "failed"));
  emit(state(1, "done"));
  EXPECT_TRUE(outcome.get());
}

TEST_F(WatchTest, GoesOnWithADaemonThatComesBack) {
  auto outcome = start();
  await_watcher();
  server_.stop();
  server_.start();
  await_watcher();
  emit(state(1, "done"));
  EXPECT_TRUE(outcome.get());
  EXPECT_THAT(err_.str(), HasSubstr("the connection is lost"));
}

TEST_F(WatchTest, GivesUpOnADaemonThatStaysAway) {
  options_.reconnect_for = from_ms(5);
  auto outcome = start();
  await_watcher();
  server_.stop();
  const auto result = outcome.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::unreachable);
}

TEST_F(WatchTest, AJobThatIsGoneAfterwardsIsRefused) {
  auto outcome = start();
  await_watcher();
  server_.stop();
  server_.on_thread([this] { server_.control().job_list = Json::array(); });
  server_.start();
  const auto result = outcome.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::refused);
}

}  // namespace
}  // namespace fulcrum::cli

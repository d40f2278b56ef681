#include "worker/protocol.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/unit/worker/job_specs.h"

namespace fulcrum::worker {
namespace {

template <class T>
T through_daemon_line(const T& message) {
  const auto line = to_line(ToWorker(message));
  EXPECT_EQ(line.back(), '\n');
  auto parsed = parse_to_worker(line);
  if (!parsed) throw std::runtime_error(parsed.error().to_string());
  return std::get<T>(*parsed);
}

template <class T>
T through_worker_line(const T& message) {
  auto parsed = parse_from_worker(to_line(FromWorker(message)));
  if (!parsed) throw std::runtime_error(parsed.error().to_string());
  return std::get<T>(*parsed);
}

TEST(Protocol, StartJobSurvivesTheLine) {
  StartJob start;
  start.job = 7;
  start.spec = test::training_spec();
  start.checkpoint_directory = "/state/checkpoints/7";
  start.threads = 2;
  start.pace = Pace{{{16, 180.5, 97.25}}, 0.04};
  start.resume = {{"served", 3}};
  start.served = ServedJob{3, "/state/checkpoints/3", true};
  const auto back = through_daemon_line(start);
  EXPECT_EQ(back.job, 7);
  EXPECT_EQ(back.spec.to_json(), start.spec.to_json());
  EXPECT_EQ(back.checkpoint_directory, start.checkpoint_directory);
  EXPECT_EQ(back.threads, 2);
  EXPECT_EQ(back.pace->entries.front().mode_ms, 180.5);
  EXPECT_EQ(back.pace->kappa, 0.04);
  EXPECT_EQ(back.resume, start.resume);
  EXPECT_EQ(back.served->job, 3);
  EXPECT_EQ(back.served->checkpoint_directory, "/state/checkpoints/3");
  EXPECT_TRUE(back.served->gated);
}

TEST(Protocol, AQuestionSurvivesTheLine) {
  Think think;
  think.id = 9;
  think.strategy = "als-12";
  think.seed = 5;
  think.problem.kind = scheduler::ProblemKind::concurrent;
  think.problem.grid = scheduler::ModeGrid::make({{{4, 8}, {1000, 2000}, {100}, {7, 9}}}).value();
  think.problem.power_budget_w = 22.5;
  think.problem.latency_budget_ms = 100;
  think.problem.arrival_rate_hz = 60;
  think.problem.inference_batch_sizes = {1, 4};
  ASSERT_TRUE(think.profiles.add({WorkloadTask::inference, {4, 1000, 100, 7}, 4, 1.25, 2.5, 12}));
  const auto back = through_daemon_line(think);
  EXPECT_EQ(back.id, 9U);
  EXPECT_EQ(back.strategy, "als-12");
  EXPECT_EQ(back.seed, 5U);
  EXPECT_EQ(back.problem.to_json(), think.problem.to_json());
  EXPECT_EQ(back.profiles.to_json(), think.profiles.to_json());
}

TEST(Protocol, AThoughtSurvivesTheLine) {
  Thought thought;
  thought.id = 9;
  EXPECT_FALSE(through_worker_line(thought).measure);
  thought.measure = scheduler::Measure{WorkloadTask::inference, {4, 1000000, 100000000, 700000000}, 4};
  EXPECT_EQ(through_worker_line(thought).measure->to_string(), thought.measure->to_string());
  thought.error = fail(ErrorCode::internal, "no").value();
  EXPECT_EQ(through_worker_line(thought).error->message, "no");
}

TEST(Protocol, AQuestionWithoutSenseIsNoMessage) {
  Think think;
  think.problem.grid = scheduler::ModeGrid::make({{{4}, {1000}, {100}, {7}}}).value();
  think.problem.power_budget_w = -1;
  EXPECT_FALSE(parse_to_worker(to_line(ToWorker(think))));
}

TEST(Protocol, ErrorsSurviveTheLine) {
  JobChecked checked;
  checked.request = 3;
  Error error = fail(ErrorCode::permission_denied, "denied", "chmod").value();
  error.field = "/dataset/images";
  error.context = {"opening"};
  checked.faults = {error};
  const auto back = through_worker_line(checked);
  ASSERT_EQ(back.faults.size(), 1U);
  EXPECT_EQ(back.faults.front().code, ErrorCode::permission_denied);
  EXPECT_EQ(back.faults.front().to_string(), error.to_string());
}

TEST(Protocol, JobEndedSurvivesTheLine) {
  JobEnded ended{4, Outcome::failed, fail(ErrorCode::io, "full").value(), {{"epoch", 1}}, nullptr, nullptr};
  const auto back = through_worker_line(ended);
  EXPECT_EQ(back.outcome, Outcome::failed);
  EXPECT_EQ(back.error->message, "full");
  EXPECT_EQ(back.progress, ended.progress);
  EXPECT_TRUE(back.result.is_null());
}

TEST(Protocol, LoadAndStepTimesSurviveTheLine) {
  const auto load = through_worker_line(
      Load{{{2, 16, true, 1234567890123456789, 1234567890123456999, scheduler::SliceReason::probe, 3, 0.5}},
           DeviceSlice{3, 4, false, 5, 0}});
  EXPECT_EQ(load.slices.at(0).job, 2);
  EXPECT_EQ(load.slices.at(0).batch_size, 16);
  EXPECT_TRUE(load.slices.at(0).probe);
  EXPECT_EQ(load.slices.at(0).started_ns, 1234567890123456789);
  EXPECT_EQ(load.slices.at(0).ended_ns, 1234567890123456999);
  EXPECT_EQ(load.slices.at(0).reason, scheduler::SliceReason::probe);
  EXPECT_EQ(load.slices.at(0).queued, 3);
  EXPECT_EQ(load.slices.at(0).device_ms, 0.5);
  EXPECT_EQ(load.running->job, 3);
  EXPECT_EQ(load.running->started_ns, 5);
  const auto ready = through_worker_line(JobReady{2, {{1, 1.5, 2.5}, {4, 3, 4}}, std::nullopt});
  EXPECT_EQ(ready.step_times.at(0).p99_ms, 2.5);
  EXPECT_EQ(ready.kappa, std::nullopt);
  EXPECT_TRUE(through_worker_line(JobReady{2, {}, std::nullopt}).step_times.empty());
}

TEST(Protocol, SetPlanSurvivesTheLineWithItsPacesAndProbe) {
  SetPlan set;
  set.plan.mode = PowerMode{8, 1728000, 612000000, 3199000000};
  set.paces = {{3, {{1, 2.5, 1.5}, {16, 20.5, 10.25}}}};
  set.probe = ProbeOrder{3, 16, 12.5};
  const auto back = through_daemon_line(set);
  EXPECT_EQ(back.plan.mode, set.plan.mode);
  EXPECT_EQ(back.paces.at(0).job, 3);
  EXPECT_EQ(back.paces.at(0).entries.at(1).mode_ms, 20.5);
  EXPECT_EQ(back.probe->batch_size, 16);
  EXPECT_EQ(back.probe->step_bound_ms, 12.5);
  EXPECT_EQ(through_daemon_line(SetPlan{}).probe, std::nullopt);
}

TEST(Protocol, RefusesSlicesOutOfOrder) {
  const auto load = [](const std::string& slices) {
    return parse_from_worker(R"({"type":"load","body":{"running":null,"slices":)" + slices + "}}");
  };
  const std::string rest = R"(,"free_time",0,1.5])";
  EXPECT_TRUE(load("[[1,16,false,10,20" + rest + ",[1,16,false,20,30" + rest + "]"));
  EXPECT_FALSE(load("[[1,16,false,10,20" + rest + ",[1,16,false,19,30" + rest + "]"));
  EXPECT_FALSE(load("[[1,16,false,20,10" + rest + "]"));
  EXPECT_FALSE(load(R"([[1,16,false,10,20,"whim",0,1.5]])"));
}

TEST(Protocol, RefusesWhatIsNoMessage) {
  for (const std::string line :
       {"", "garbage", "{}", "[]", R"({"type":"nonsense","body":{}})", R"({"type":"stop_job","body":{}})",
        R"({"type":"stop_job","body":{"job":"x"}})", R"({"type":"start_job","body":{"job":1}})",
        R"({"type":1,"body":{}})"}) {
    EXPECT_FALSE(parse_to_worker(line)) << line;
    EXPECT_FALSE(parse_from_worker(line)) << line;
  }
}

TEST(Protocol, RefusesNumbersThatTheirFieldCannotHold) {
  for (const std::string job : {"1.5", "1e300", "9223372036854775808", "\"1\"", "true", "null"}) {
    EXPECT_FALSE(parse_to_worker(R"({"type":"stop_job","body":{"job":)" + job + "}}")) << job;
  }
  for (const std::string request : {"-1", "18446744073709551616"}) {
    EXPECT_FALSE(
        parse_from_worker(R"({"type":"job_checked","body":{"faults":[],"request":)" + request + "}}"))
        << request;
  }
  EXPECT_FALSE(
      parse_from_worker(R"({"type":"load","body":{"running":null,"slices":[[1,4294967297,false,1,1]]}})"));
}

TEST(Protocol, TakesTheLargestNumbersOfTheirFields) {
  EXPECT_EQ(through_daemon_line(StopJob{INT64_MAX}).job, INT64_MAX);
  EXPECT_EQ(through_worker_line(JobChecked{UINT64_MAX, {}}).request, UINT64_MAX);
  const auto slice =
      through_worker_line(Load{{{1, INT32_MAX, false, INT64_MIN, INT64_MAX}}, {}}).slices.front();
  EXPECT_EQ(slice.batch_size, INT32_MAX);
  EXPECT_EQ(slice.started_ns, INT64_MIN);
}

TEST(Protocol, RefusesAPlanWithAFractionOfAMinibatch) {
  const std::string plan =
      R"({"policy":"managed","mode":null,"inference":[],"training":[],"margin_ms":0,"window_ms":0,)"
      R"("expected_train_minibatches_per_s":0,"training_per_window":)";
  EXPECT_TRUE(
      parse_to_worker(R"({"type":"set_plan","body":{"paces":[],"probe":null,"plan":)" + plan + "3}}}"));
  EXPECT_FALSE(
      parse_to_worker(R"({"type":"set_plan","body":{"paces":[],"probe":null,"plan":)" + plan + "3.5}}}"));
}

TEST(Protocol, RefusesStepTimesThatNoPlanCanBeMadeOf) {
  const auto ready = [](const std::string& times) {
    return parse_from_worker(R"({"type":"job_ready","body":{"job":1,"kappa":null,"step_times":)" + times +
                             "}}");
  };
  EXPECT_TRUE(ready("[[1,0,0.5],[4,2,2]]"));
  for (const char* times : {"[[0,1,2]]", "[[-1,1,2]]", "[[4,1,2],[1,1,2]]", "[[1,1,2],[1,1,2]]", "[[1,-1,2]]",
                            "[[1,2,1]]", "[[1,1,null]]"}) {
    EXPECT_FALSE(ready(times)) << times;
  }
}

}  // namespace
}  // namespace fulcrum::worker

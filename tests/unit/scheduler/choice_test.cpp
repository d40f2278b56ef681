#include "scheduler/choice.h"

#include <gtest/gtest.h>

#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

Problem train(std::optional<double> power_w) {
  Problem problem;
  problem.grid = grid_of({1}, {1, 2, 3, 4}, {1}, {1});
  problem.power_budget_w = power_w;
  return problem;
}

Problem infer(double power_w, double latency_ms, double rate_hz) {
  Problem problem = train(power_w);
  problem.kind = ProblemKind::infer;
  problem.latency_budget_ms = latency_ms;
  problem.arrival_rate_hz = rate_hz;
  problem.inference_batch_sizes = {1, 4};
  return problem;
}

Problem concurrent(double power_w, double latency_ms, double rate_hz) {
  Problem problem = infer(power_w, latency_ms, rate_hz);
  problem.kind = ProblemKind::concurrent;
  return problem;
}

struct Table {
  ProfileSet profiles;
  Table& training(std::int64_t cpu, double ms, double w) {
    EXPECT_TRUE(profiles.add({WorkloadTask::training, clocked(cpu), 16, ms, ms, w}));
    return *this;
  }
  Table& inference(std::int64_t cpu, int batch, double ms, double w) {
    EXPECT_TRUE(profiles.add({WorkloadTask::inference, clocked(cpu), batch, ms, ms, w}));
    return *this;
  }
};

Choice chosen(const Problem& problem, const Table& table) {
  const auto outcome = choose(problem, table.profiles);
  const auto* choice = std::get_if<Choice>(&outcome);
  EXPECT_NE(choice, nullptr) << std::get_if<Infeasible>(&outcome)->reason;
  return choice != nullptr ? *choice : Choice{};
}

Infeasible refused(const Problem& problem, const Table& table) {
  const auto outcome = choose(problem, table.profiles);
  const auto* infeasible = std::get_if<Infeasible>(&outcome);
  EXPECT_NE(infeasible, nullptr) << "an answer in " << std::get_if<Choice>(&outcome)->mode.to_string();
  return infeasible != nullptr ? *infeasible : Infeasible{};
}

Table three_modes() {
  return Table().training(1, 40, 10).training(2, 20, 20).training(3, 10, 30);
}

TEST(Choice, OfTrainingIsTheFastestInsideTheBudget) {
  const auto choice = chosen(train(20), three_modes());
  EXPECT_EQ(choice.mode, clocked(2));
  EXPECT_EQ(choice.train_throughput_hz, 50);
  EXPECT_EQ(choice.power_w, 20);
  EXPECT_EQ(choice.compared, 3U);
}

TEST(Choice, WithoutAPowerBudgetIsTheFastest) {
  const auto choice = chosen(train(std::nullopt), three_modes());
  EXPECT_EQ(choice.mode, clocked(3));
  EXPECT_FALSE(choice.binding);
}

TEST(Choice, OfTwoEquallyFastIsTheOneThatDrawsLess) {
  EXPECT_EQ(chosen(train(20), Table().training(1, 10, 12).training(2, 10, 11)).mode, clocked(2));
  EXPECT_EQ(chosen(train(20), Table().training(1, 10, 12).training(2, 10, 12)).mode, clocked(1));
}

TEST(Choice, SaysWhatMorePowerWouldBuy) {
  const auto choice = chosen(train(25), three_modes());
  ASSERT_TRUE(choice.binding);
  EXPECT_EQ(choice.binding->constraint, Constraint::power);
  EXPECT_EQ(choice.binding->budget, 25);
  EXPECT_EQ(choice.binding->used, 20);
  EXPECT_EQ(choice.binding->needed, 30);
  EXPECT_EQ(choice.binding->rules_out.mode, clocked(3));
  EXPECT_EQ(choice.binding->rules_out.gain_percent, 100);
}

TEST(Choice, NamesTheRunnerUpAndHowMuchWorseItIs) {
  const auto choice = chosen(train(25), three_modes());
  ASSERT_TRUE(choice.runner_up);
  EXPECT_EQ(choice.runner_up->mode, clocked(1));
  EXPECT_EQ(choice.runner_up->gain_percent, -50);
  EXPECT_FALSE(chosen(train(15), three_modes()).runner_up) << "nothing else is inside 15 W";
}

TEST(Choice, RestsOnTheProfilesOfItsMode) {
  const auto choice = chosen(concurrent(30, 1000, 10),
                             Table().training(1, 50, 20).inference(1, 1, 10, 25).inference(1, 4, 30, 26));
  ASSERT_EQ(choice.profiles.size(), 2U);
  EXPECT_EQ(choice.profiles[0].task, WorkloadTask::training);
  EXPECT_EQ(choice.profiles[1].batch_size, choice.batch_size);
}

TEST(Choice, OfInferenceIsTheSmallestLatency) {
  // a = 50: w = 20 and 80 ms.
  const auto choice = chosen(infer(30, 200, 50), Table().inference(1, 1, 15, 10).inference(2, 4, 30, 20));
  EXPECT_EQ(choice.mode, clocked(1));
  EXPECT_EQ(choice.batch_size, 1);
  EXPECT_EQ(choice.latency_ms, 35);
  EXPECT_EQ(choice.train_throughput_hz, 0);
  ASSERT_TRUE(choice.runner_up);
  EXPECT_NEAR(*choice.runner_up->gain_percent, -100.0 * (110 - 35) / 35, 1e-9);
}

TEST(Choice, OfInferenceMustKeepUpWithTheRate) {
  // A batch of one takes 25 ms and one arrives every 20: unstable, however small its latency.
  const auto choice = chosen(infer(30, 200, 50), Table().inference(1, 1, 25, 10).inference(1, 4, 30, 10));
  EXPECT_EQ(choice.batch_size, 4);
  ASSERT_TRUE(choice.binding);
  EXPECT_EQ(choice.binding->constraint, Constraint::arrival_rate);
  EXPECT_EQ(choice.binding->budget, 50);
  EXPECT_EQ(choice.binding->needed, 40);
}

TEST(Choice, OfBothCountsTheTrainingThatFitsIntoAWindow) {
  // a = 10: w = 100 ms for one, 400 ms for four. tau = floor(90/40) = 2 -> 20/s; floor(370/40) = 9 -> 22.5/s.
  const auto choice = chosen(concurrent(30, 1000, 10),
                             Table().training(1, 40, 20).inference(1, 1, 10, 25).inference(1, 4, 30, 25));
  EXPECT_EQ(choice.batch_size, 4);
  EXPECT_EQ(choice.training_per_window, 9);
  EXPECT_EQ(choice.train_throughput_hz, 22.5);
  EXPECT_EQ(choice.latency_ms, 430);
  EXPECT_EQ(choice.power_w, 25) << "the higher of the two";
}

TEST(Choice, OfBothGivesTiesToTheShorterInference) {
  const auto choice =
      chosen(concurrent(30, 150, 10),
             Table().training(1, 40, 20).training(2, 40, 20).inference(1, 1, 12, 20).inference(2, 1, 11, 25));
  EXPECT_EQ(choice.mode, clocked(2));
}

TEST(Choice, OfBothSaysWhenItIsTheLatencyThatBinds) {
  const auto choice = chosen(concurrent(30, 400, 10),
                             Table().training(1, 40, 20).inference(1, 1, 10, 25).inference(1, 4, 30, 25));
  EXPECT_EQ(choice.batch_size, 1);
  ASSERT_TRUE(choice.binding);
  EXPECT_EQ(choice.binding->constraint, Constraint::latency);
  EXPECT_EQ(choice.binding->needed, 430);
  EXPECT_EQ(choice.binding->rules_out.batch_size, 4);
  EXPECT_EQ(choice.binding->rules_out.gain_percent, 12.5);
}

TEST(Choice, HasNoPercentageOfNothing) {
  // 95 ms of inference leave no room for training; the mode above the budget trains.
  const auto choice =
      chosen(concurrent(30, 300, 10),
             Table().training(1, 40, 20).training(2, 40, 35).inference(1, 1, 95, 20).inference(2, 1, 10, 35));
  EXPECT_EQ(choice.training_per_window, 0);
  ASSERT_TRUE(choice.binding);
  EXPECT_EQ(choice.binding->rules_out.gain_percent, std::nullopt);
  EXPECT_TRUE(choice.to_json()["binding"]["rules_out"]["gain_percent"].is_null());
}

TEST(Choice, DecidesWithTheTimeAskedFor) {
  ProfileSet profiles;
  ASSERT_TRUE(profiles.add({WorkloadTask::training, clocked(1), 16, 10, 40, 10}));
  ASSERT_TRUE(profiles.add({WorkloadTask::training, clocked(2), 16, 20, 20, 10}));
  auto problem = train(20);
  problem.decide_with = TimeStatistic::p50;
  EXPECT_EQ(std::get<Choice>(choose(problem, profiles)).mode, clocked(1));
  problem.decide_with = TimeStatistic::p99;
  EXPECT_EQ(std::get<Choice>(choose(problem, profiles)).mode, clocked(2));
}

TEST(Choice, LeavesAloneWhatTheProblemDoesNotAllow) {
  auto table = Table().training(2, 20, 20).training(9, 1, 1);
  ASSERT_TRUE(table.profiles.add({WorkloadTask::training, clocked(2), 8, 1, 1, 1}));
  EXPECT_EQ(chosen(train(30), table).train_throughput_hz, 50) << "mode 9 and batch 8 are not of this problem";
  const auto choice = chosen(infer(30, 500, 10), Table().inference(1, 1, 50, 10).inference(1, 2, 1, 1));
  EXPECT_EQ(choice.batch_size, 1);
}

TEST(Choice, IsShownAsJson) {
  const auto json = chosen(train(25), three_modes()).to_json();
  EXPECT_EQ(json["mode"]["cpu_khz"], 2);
  EXPECT_EQ(json["binding"]["constraint"], "power");
  EXPECT_EQ(json["runner_up"]["mode"]["cpu_khz"], 1);
  EXPECT_EQ(json["profiles"][0]["task"], "training");
}

TEST(Infeasible, NamesTheSmallestPowerThatWouldDo) {
  const auto answer = refused(train(5), three_modes());
  ASSERT_TRUE(answer.power_budget_w);
  EXPECT_EQ(answer.power_budget_w->value, 10);
  EXPECT_EQ(answer.power_budget_w->mode, clocked(1));
  EXPECT_FALSE(answer.latency_budget_ms);
  EXPECT_EQ(answer.reason, "no profiled mode draws 5.0 W or less: the least is 10.0 W");
  EXPECT_EQ(answer.to_json()["power_budget_w"]["value"], 10);
}

TEST(Infeasible, IsProvedOnceEveryModeIsProfiled) {
  EXPECT_FALSE(refused(train(5), three_modes()).proved);
  EXPECT_TRUE(refused(train(5), three_modes().training(4, 5, 40)).proved);
}

TEST(Infeasible, NamesEitherBudgetThatWouldDo) {
  // In 10 W the latency is 20 + 18 ms, in 25 W 20 + 5 ms.
  const auto answer = refused(infer(20, 30, 50), Table().inference(1, 1, 18, 10).inference(2, 1, 5, 25));
  ASSERT_TRUE(answer.power_budget_w);
  EXPECT_EQ(answer.power_budget_w->value, 25);
  ASSERT_TRUE(answer.latency_budget_ms);
  EXPECT_EQ(answer.latency_budget_ms->value, 38);
  EXPECT_NE(answer.reason.find("keeps both budgets"), std::string::npos) << answer.reason;
}

TEST(Infeasible, SaysThatNothingKeepsUp) {
  const auto answer = refused(infer(30, 200, 50), Table().inference(1, 1, 25, 10));
  EXPECT_EQ(answer.reason, "no profiled mode keeps up with 50 requests per second");
  EXPECT_FALSE(answer.power_budget_w);
  EXPECT_FALSE(answer.latency_budget_ms);
}

TEST(Infeasible, IsProvedWithoutAProfileWhenNoBatchIsCollectedInTime) {
  const auto answer = refused(infer(30, 20, 50), Table());
  EXPECT_TRUE(answer.proved);
  EXPECT_NE(answer.reason.find("takes 20.0 ms to collect"), std::string::npos) << answer.reason;
}

TEST(Infeasible, NeedsNoInferenceProfileWhereTrainingAloneDrawsTooMuch) {
  auto problem = concurrent(5, 1000, 10);
  problem.grid = grid_of({1}, {1, 2}, {1}, {1});
  EXPECT_TRUE(refused(problem, Table().training(1, 40, 10).training(2, 20, 20)).proved);
  EXPECT_FALSE(refused(problem, Table().training(1, 40, 10).training(2, 20, 4)).proved);
}

TEST(Infeasible, IsNotProvedByNothing) {
  const auto answer = refused(train(20), Table());
  EXPECT_FALSE(answer.proved);
  EXPECT_EQ(answer.reason, "nothing is profiled yet");
}

}  // namespace
}  // namespace fulcrum::scheduler

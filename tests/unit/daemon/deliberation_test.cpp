#include "daemon/deliberation.h"

#include <gtest/gtest.h>

#include "tests/unit/scheduler/made_up_board.h"

namespace fulcrum::daemon {
namespace {

using scheduler::Measure;
using scheduler::NothingMore;

scheduler::Problem two_modes() {
  scheduler::Problem problem;
  problem.grid = scheduler::grid_of({1}, {1, 2}, {1}, {1});
  return problem;
}

Measure lower_mode() {
  return {WorkloadTask::training, {1, 1, 1, 1}, 16};
}

Deliberation als() {
  return Deliberation::make("als-5").value();
}

worker::Thought thought_of(const std::optional<worker::Think>& question, std::optional<Measure> measure) {
  worker::Thought thought;
  thought.id = question.value().id;
  thought.measure = measure;
  return thought;
}

TEST(Deliberation, RefusesWhatIsNoStrategy) {
  EXPECT_FALSE(Deliberation::make("nothing"));
  EXPECT_FALSE(Deliberation::make("als-N"));
}

TEST(Deliberation, AnotherStrategyBeginsWithNothingThoughtOut) {
  auto deliberation = als();
  const auto question = deliberation.ask({two_modes(), {}});
  ASSERT_TRUE(deliberation.use("als-6"));
  EXPECT_FALSE(deliberation.take(thought_of(question, lower_mode())).value());
  EXPECT_EQ(deliberation.ask({two_modes(), {}})->strategy, "als-6");
  EXPECT_EQ(deliberation.most_probes(two_modes()), 6U);
}

TEST(Deliberation, KeepsItsStrategyIfTheOtherIsNone) {
  auto deliberation = als();
  EXPECT_FALSE(deliberation.use("nothing"));
  EXPECT_FALSE(deliberation.use("preset")) << "without presets";
  EXPECT_EQ(deliberation.strategy(), "als-5");
  ASSERT_TRUE(deliberation.use("gmd"));
  EXPECT_TRUE(deliberation.adviser()(two_modes(), {}));
}

TEST(Deliberation, KnowsAtOnceWhatNeedsNoNetworks) {
  const auto gmd = Deliberation::make("gmd").value();
  const auto advice = gmd.adviser()(two_modes(), {});
  ASSERT_TRUE(advice);
  EXPECT_TRUE(std::holds_alternative<Measure>(*advice));
}

TEST(Deliberation, AsksTheWorkerForTheRestAndKeepsItsAnswer) {
  auto deliberation = als();
  EXPECT_FALSE(deliberation.adviser()(two_modes(), {}));
  const auto question = deliberation.ask({two_modes(), {}});
  ASSERT_TRUE(question);
  EXPECT_EQ(question->strategy, "als-5");
  EXPECT_TRUE(deliberation.take(thought_of(question, lower_mode())).value());
  const auto advice = deliberation.adviser()(two_modes(), {});
  ASSERT_TRUE(advice);
  EXPECT_EQ(std::get<Measure>(*advice).mode, lower_mode().mode);
}

TEST(Deliberation, AsksOnceForOneThing) {
  auto deliberation = als();
  EXPECT_TRUE(deliberation.ask({two_modes(), {}}));
  EXPECT_FALSE(deliberation.ask({two_modes(), {}}));
}

TEST(Deliberation, AsksAgainWhenTheWorkerIsAnother) {
  auto deliberation = als();
  const auto lost = deliberation.ask({two_modes(), {}});
  deliberation.forget_question();
  EXPECT_FALSE(deliberation.take(thought_of(lost, lower_mode())).value());
  EXPECT_TRUE(deliberation.ask({two_modes(), {}}));
}

// A budget has been set meanwhile.
TEST(Deliberation, DropsTheAnswerToAnEarlierQuestion) {
  auto deliberation = als();
  const auto earlier = deliberation.ask({two_modes(), {}});
  auto problem = two_modes();
  problem.power_budget_w = 20;
  const auto later = deliberation.ask({problem, {}});
  ASSERT_TRUE(later);
  EXPECT_FALSE(deliberation.take(thought_of(earlier, lower_mode())).value());
  EXPECT_TRUE(deliberation.take(thought_of(later, std::nullopt)).value());
  EXPECT_TRUE(std::holds_alternative<NothingMore>(deliberation.adviser()(problem, {}).value()));
  EXPECT_FALSE(deliberation.adviser()(two_modes(), {}));
}

TEST(Deliberation, AWorkerThatCannotThinkEndsTheSearch) {
  auto deliberation = als();
  auto thought = thought_of(deliberation.ask({two_modes(), {}}), std::nullopt);
  thought.error = fail(ErrorCode::internal, "no memory").value();
  const auto taken = deliberation.take(thought);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().to_string().find("no memory"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<NothingMore>(deliberation.adviser()(two_modes(), {}).value()));
  deliberation.forget_answers();
  EXPECT_FALSE(deliberation.adviser()(two_modes(), {}));
}

TEST(Deliberation, DoesNotMeasureWhatIsKnownOrDoesNotExist) {
  scheduler::ProfileSet known;
  ASSERT_TRUE(known.add({WorkloadTask::training, lower_mode().mode, 16, 1, 1, 1}));
  const Measure impossible[] = {lower_mode(),
                                {WorkloadTask::training, {1, 3, 1, 1}, 16},
                                {WorkloadTask::training, {1, 2, 1, 1}, 4},
                                {WorkloadTask::inference, {1, 2, 1, 1}, 1}};
  for (const auto& measure : impossible) {
    auto deliberation = als();
    const auto taken = deliberation.take(thought_of(deliberation.ask({two_modes(), known}), measure));
    EXPECT_FALSE(taken) << measure.to_string();
    EXPECT_TRUE(std::holds_alternative<NothingMore>(deliberation.adviser()(two_modes(), known).value()));
  }
}

// Of other jobs, other batch sizes, other modes: there may be many.
TEST(Deliberation, SendsNoProfileThatDoesNotMatter) {
  scheduler::ProfileSet known;
  ASSERT_TRUE(known.add({WorkloadTask::training, lower_mode().mode, 16, 1, 1, 1}));
  ASSERT_TRUE(known.add({WorkloadTask::training, lower_mode().mode, 8, 1, 1, 1}));
  ASSERT_TRUE(known.add({WorkloadTask::training, {1, 3, 1, 1}, 16, 1, 1, 1}));
  ASSERT_TRUE(known.add({WorkloadTask::inference, lower_mode().mode, 1, 1, 1, 1}));
  auto deliberation = als();
  EXPECT_EQ(deliberation.ask({two_modes(), known})->profiles.size(), 1U);
}

}  // namespace
}  // namespace fulcrum::daemon

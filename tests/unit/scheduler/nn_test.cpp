#include "scheduler/nn.h"

#include <gtest/gtest.h>

#include "cheap_learner.h"
#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

Problem four_modes() {
  Problem problem;
  problem.grid = grid_of({1}, {1, 2, 3, 4}, {1}, {1});
  problem.power_budget_w = 25;
  return problem;
}

// Power rises steeply, so that a mode is not like its neighbour.
MadeUpBoard steep_board() {
  return {[](WorkloadTask, const PowerMode& m, int) {
    const auto f = static_cast<double>(m.cpu_khz);
    return MadeUpBoard::Step{100 / f, 10 * f};
  }};
}

Step end_of(const std::string& name, const Problem& problem, const StrategyTools& tools,
            ProfileSet& profiles) {
  const auto strategy = make_strategy(name, tools).value();
  for (std::size_t i = 0; i < kFarTooManyProbes; ++i) {
    auto step = strategy->next(problem, profiles);
    const auto* probe = std::get_if<Measure>(&step);
    if (probe == nullptr || !profiles.add(steep_board().measure(*probe))) return step;
  }
  return Infeasible{};
}

TEST(Nn, NeedsALearnerAndANumber) {
  EXPECT_FALSE(make_strategy("nn-50").has_value());
  EXPECT_FALSE(make_strategy("nn", cheap_tools()).has_value());
  EXPECT_EQ(make_strategy("nn50", cheap_tools()).value()->name(), "nn-50");
}

TEST(Nn, MeasuresItsNumberOfProfiles) {
  ProfileSet profiles;
  end_of("nn-3", four_modes(), cheap_tools(), profiles);
  EXPECT_EQ(profiles.size(), 3U);
}

TEST(Nn, MeasuresNoMoreThanThereIs) {
  ProfileSet profiles;
  end_of("nn-99", four_modes(), cheap_tools(), profiles);
  EXPECT_EQ(profiles.size(), 4U);
}

// Known of one mode only, all modes are taken to be like it.
TEST(Nn, SaysThatAnAnswerIsPredictedByRestingItOnNoProfiles) {
  bool predicted = false;
  for (std::uint64_t seed = 1; seed < 20 && !predicted; ++seed) {
    ProfileSet known;
    const auto end = end_of("nn-1", four_modes(), cheap_tools(seed), known);
    const auto* answer = std::get_if<Answer>(&end);
    if (answer == nullptr) continue;
    predicted = answer->choice.profiles.empty();
    if (!predicted) continue;
    EXPECT_EQ(known.find(WorkloadTask::training, answer->choice.mode, 16), nullptr);
  }
  EXPECT_TRUE(predicted);
}

TEST(Nn, AnswersFromMeasurementsWhereEverythingIsMeasured) {
  ProfileSet profiles;
  const auto end = end_of("nn-4", four_modes(), cheap_tools(), profiles);
  const auto* answer = std::get_if<Answer>(&end);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->choice.mode, four_modes().grid.mode(1));
  EXPECT_EQ(answer->choice.profiles.size(), 1U);
}

TEST(Nn, APredictedImpossibilityIsNoProof) {
  Problem problem = four_modes();
  problem.power_budget_w = 5;
  ProfileSet profiles;
  const auto end = end_of("nn-2", problem, cheap_tools(), profiles);
  const auto* infeasible = std::get_if<Infeasible>(&end);
  ASSERT_NE(infeasible, nullptr);
  EXPECT_FALSE(infeasible->proved);
}

// Slower in one step of a hundred than in most: the networks learn what most take.
TEST(Nn, DecidesByTheRareSlowStepWhereTheProblemDoes) {
  Problem problem = four_modes();
  problem.kind = ProblemKind::infer;
  problem.inference_batch_sizes = {1};
  problem.arrival_rate_hz = 5;  // w = 200 ms
  problem.latency_budget_ms = 1000;
  ProfileSet known;
  for (std::size_t i = 0; i < 4; ++i)
    ASSERT_TRUE(known.add({WorkloadTask::inference, problem.grid.mode(i), 1, 100, 150, 20}).has_value());
  const auto step = make_strategy("nn-2", cheap_tools()).value()->next(problem, known);
  const auto* answer = std::get_if<Answer>(&step);
  ASSERT_NE(answer, nullptr);
  EXPECT_DOUBLE_EQ(answer->choice.latency_ms, 350);
}

}  // namespace
}  // namespace fulcrum::scheduler

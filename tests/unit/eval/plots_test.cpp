#include "eval/plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/chart.h"
#include "small_tables.h"

namespace fulcrum::eval {
namespace {

using scheduler::Profile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Axes, EndAtRoundNumbers) {
  EXPECT_THAT(Axis(Scale::linear, {12, 51}, "").ticks(), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_THAT(Axis(Scale::logarithmic, {58, 480}, "").ticks(), ElementsAre(50, 100, 200, 500));
  EXPECT_THAT(Axis(Scale::logarithmic, {.02, 300}, "").ticks(), ElementsAre(.01, .1, 1, 10, 100, 1000));
}

TEST(Axes, HaveAPlaceForASingleValue) {
  const Axis linear(Scale::linear, {0}, "");
  EXPECT_EQ(linear.place(0), 0);
  const Axis logarithmic(Scale::logarithmic, {10}, "");
  EXPECT_GE(logarithmic.place(10), 0);
  EXPECT_LE(logarithmic.place(10), 1);
}

TEST(Axes, PlaceValuesByTheirScale) {
  EXPECT_DOUBLE_EQ(Axis(Scale::linear, {0, 100}, "").place(25), .25);
  EXPECT_DOUBLE_EQ(Axis(Scale::logarithmic, {1, 10000}, "").place(10), .25);
}

TEST(ParetoFront, KeepsWhatNoOtherModeBeatsInTimeAndPower) {
  const auto row = [](double time_ms, double power_w) {
    return Profile{WorkloadTask::training, {1, 1, 1, 1}, 16, time_ms, time_ms, power_w};
  };
  const auto front = pareto_front({row(4, 10), row(1, 30), row(2, 31), row(2, 20), row(3, 20), row(5, 9)});
  std::vector<double> times;
  times.reserve(front.size());
  for (const auto& each : front)
    times.push_back(each.p50_ms);
  EXPECT_THAT(times, ElementsAre(1, 2, 4, 5));
}

TEST(Pictures, OfLossesHaveTitleAxesAndLegend) {
  const auto results = evaluate(small_evaluation({"gmd", "rnd-5"})).value();
  std::vector<Result> train;
  for (const auto& result : results) {
    if (result.scenario == "train") train.push_back(result);
  }
  const auto picture = plot_losses(train, strategies_in(train));
  EXPECT_THAT(picture, HasSubstr("Scenario train, policy managed: 9 problems"));
  EXPECT_THAT(picture, HasSubstr("loss, % of the optimum"));
  EXPECT_THAT(picture, HasSubstr(">rnd-5<"));
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
  EXPECT_THAT(picture, Not(HasSubstr("inf\"")));
}

TEST(Pictures, OfAFrontMarkTheModesThatWereAnswered) {
  auto evaluation = small_evaluation({"exhaustive"});
  evaluation.sweeps.resize(1);
  const auto results = evaluate(evaluation).value();
  const auto picture =
      plot_front(*evaluation.sweeps[0].bench.training, 16, results, {}, {"exhaustive"}, "a < b");
  EXPECT_THAT(picture, HasSubstr("a &lt; b"));
  EXPECT_THAT(picture, HasSubstr("<title>exhaustive: 2 cores, "));
  EXPECT_THAT(picture, HasSubstr("time of a minibatch, ms"));
}

TEST(Pictures, OfAFrontShowWhereSearchesLooked) {
  auto evaluation = small_evaluation({"gmd"});
  evaluation.sweeps.resize(1);
  const auto results = evaluate(evaluation).value();
  const auto& table = *evaluation.sweeps[0].bench.training;
  const auto picture = plot_front(table, 16, results, visits_in(results), {"gmd"}, "front");
  EXPECT_THAT(picture, HasSubstr("<title>gmd measured "));
  EXPECT_THAT(picture, HasSubstr("in colour if measured"));
}

TEST(Pictures, OfStrategiesThatSolvedNothingAreDrawnAllTheSame) {
  Result missed;
  missed.scenario = "train";
  missed.strategy = "gmd";
  missed.train_workload = "net";
  missed.status = Status::infeasible;
  EXPECT_THAT(plot_losses({missed}, {"gmd"}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace fulcrum::eval

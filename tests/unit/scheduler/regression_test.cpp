#include "scheduler/regression.h"

#include <gtest/gtest.h>

#include <random>

#include "scheduler/initial_design.h"
#include "scheduler/strategy.h"
#include "scheduler/workload_model.h"

namespace fulcrum::scheduler {
namespace {

const ModeGrid kGrid = ModeGrid::make({{{4, 8, 12},
                                        {422400, 1036800, 1651200, 2201600},
                                        {318750000, 726750000, 1300500000},
                                        {665600000, 2133000000, 3199000000}}})
                           .value();

const WorkloadPrior& prior() {
  return SearchPriors::of_agx_orin().training;
}

// A workload whose parameters are off the prior's mean, without any residual.
Expectation truth(const SearchPoints& points) {
  Eigen::VectorXd time = prior().time.parameters.mean;
  time.array() += .3;
  const Eigen::VectorXd power = prior().power.parameters.mean;
  const auto t = roofline::time(time, points);
  const auto p = roofline::power(power, points, roofline::gpu_share(time, points));
  return {{t.log.array(), {}, {}}, {p.log.array(), {}, {}}};
}

std::vector<Observation> observe(int count) {
  const auto all = truth(points_of(kGrid, {1}));
  std::vector<Observation> seen;
  std::mt19937 random(7);
  for (int i = 0; i < count; ++i) {
    const auto number = random() % kGrid.size();
    const auto k = static_cast<Eigen::Index>(number);
    seen.push_back({kGrid.mode(number), 1, std::exp(all.time.mean[k]), std::exp(all.power.mean[k]), 1});
  }
  return seen;
}

double worst_error(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  return (a - b).abs().maxCoeff();
}

TEST(Regression, LearnsAWorkloadFromADozenMeasurements) {
  const auto points = points_of(kGrid, {1});
  const auto exact = truth(points);
  const auto few = expect(prior(), observe(2), {}, points);
  const auto more = expect(prior(), observe(14), {}, points);
  EXPECT_LT(worst_error(more.time.mean, exact.time.mean), .1);
  EXPECT_LT(worst_error(more.power.mean, exact.power.mean), .1);
  EXPECT_LT(worst_error(more.time.mean, exact.time.mean), worst_error(few.time.mean, exact.time.mean));
  EXPECT_LT(more.time.variance.sum(), few.time.variance.sum());
}

TEST(Regression, IsSureOfItsErrors) {
  const auto points = points_of(kGrid, {1});
  const auto exact = truth(points);
  const auto expected = expect(prior(), observe(5), {}, points);
  const Eigen::ArrayXd off = (expected.time.mean - exact.time.mean).abs() / expected.time.variance.sqrt();
  EXPECT_LT(off.maxCoeff(), 4) << "in standard deviations";
}

TEST(Regression, AMeasurementOftenRepeatedCountsMore) {
  const auto points = points_of(kGrid, {1});
  auto seen = observe(5);
  const auto once = expect(prior(), seen, {.2, .2}, points);
  for (auto& observation : seen)
    observation.measurements = 100;
  const auto often = expect(prior(), seen, {.2, .2}, points);
  EXPECT_LT(often.time.variance.sum(), once.time.variance.sum());
  EXPECT_LT(often.power.variance.sum(), once.power.variance.sum());
}

TEST(Regression, PredictsTheSameInAnyBlocks) {
  const auto points = points_of(kGrid, {1});
  const auto all = expect(prior(), observe(6), {}, points);
  for (Eigen::Index i = 0; i < points.size(); i += 17) {
    const auto one = expect(prior(), observe(6), {}, points.block(i, 1));
    EXPECT_NEAR(one.time.mean[0], all.time.mean[i], 1e-12);
    EXPECT_NEAR(one.power.variance[0], all.power.variance[i], 1e-12);
  }
}

TEST(InitialDesign, TellsMoreThanTheCorners) {
  const auto points = points_of(kGrid, {1});
  const auto best = most_telling_point(prior(), points);
  const auto left_by = [&](std::size_t number) {
    const auto k = static_cast<Eigen::Index>(number);
    const auto t = truth(points);
    const Observation o{kGrid.mode(number), 1, std::exp(t.time.mean[k]), std::exp(t.power.mean[k]), 1};
    const auto e = expect(prior(), {o}, {}, points);
    return e.time.variance.sum() + e.power.variance.sum();
  };
  EXPECT_LT(left_by(static_cast<std::size_t>(best)), left_by(0));
  EXPECT_LT(left_by(static_cast<std::size_t>(best)), left_by(kGrid.size() - 1));
}

TEST(Priors, OfAnotherBoardAreWiderAndScaled) {
  const auto other = SearchPriors::of_other_board(4, 20);
  const auto& ours = SearchPriors::of_agx_orin();
  EXPECT_LT(other.training.power.parameters.mean[0], ours.training.power.parameters.mean[0]);
  EXPECT_LT(other.inference.power.parameters.mean[4], ours.inference.power.parameters.mean[4]);
  EXPECT_GT(other.training.time.parameters.covariance(0, 0), ours.training.time.parameters.covariance(0, 0));
  EXPECT_GT(other.training.power.parameters.covariance(0, 0),
            ours.training.power.parameters.covariance(0, 0));
}

TEST(Priors, AreTheBoardsOwnWhereTheyAreKnown) {
  EXPECT_EQ(SearchPriors::of_board("agx-orin"), &SearchPriors::of_agx_orin());
  EXPECT_EQ(SearchPriors::of_board("nano"), nullptr);
  const auto own = priors_of_board("agx-orin", 1, 2);
  EXPECT_EQ(own->training.power.parameters.mean, SearchPriors::of_agx_orin().training.power.parameters.mean);
  const auto other = priors_of_board("nano", 1.5, 10);
  EXPECT_LT(other->training.power.parameters.mean[0], own->training.power.parameters.mean[0]);
}

TEST(Priors, FaultsAreToldWithTheirPlace) {
  const auto failed =
      SearchPriors::parse("training: {time: {parameters: {A: [1]}}}\ninference: {}\n", "mine.yaml");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().to_string().find("mine.yaml:1:"), std::string::npos) << failed.error().to_string();
}

}  // namespace
}  // namespace fulcrum::scheduler

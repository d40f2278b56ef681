#include "scheduler/prior_learning.h"

#include <gtest/gtest.h>

#include <random>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {
namespace {

const ModeGrid kNanoGrid =
    ModeGrid::make(
        {{{2, 4}, {518400, 921600, 1479000}, {76800000, 384000000, 921600000}, {204000000, 1600000000}}})
        .value();

SearchPriors base() {
  return SearchPriors::of_other_board(1.5, 10);
}

// A board on which every step takes longer and costs less than the base expects. A workload differs from the
// others by `size`, and has no residual.
struct Truth {
  Eigen::VectorXd time, power;

  explicit Truth(double size) {
    const auto prior = base().training;
    time = prior.time.parameters.mean;
    time.head(4).array() += .9 + size;
    power = prior.power.parameters.mean;
    power[0] -= .5;
    power[4] += .4;
  }
  Expectation at(const SearchPoints& points) const {
    const auto t = roofline::time(time, points);
    const auto p = roofline::power(power, points, roofline::gpu_share(time, points));
    return {{t.log.array(), {}, {}}, {p.log.array(), {}, {}}};
  }
};

Profile profile_of(const Truth& truth, std::size_t mode) {
  const auto all = truth.at(points_of(kNanoGrid, {1}));
  const auto k = static_cast<Eigen::Index>(mode);
  const double ms = std::exp(all.time.mean[k]);
  return {WorkloadTask::training, kNanoGrid.mode(mode), 16, ms, ms, std::exp(all.power.mean[k])};
}

ProfileSet known_workload(double size, std::size_t count) {
  const Truth truth(size);
  ProfileSet profiles;
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(profiles.add(profile_of(truth, i * kNanoGrid.size() / count)));
  return profiles;
}

// Of time and power in all modes, after one measurement.
double error_after_one_probe(const SearchPriors& priors, const Truth& truth) {
  const auto points = points_of(kNanoGrid, {1});
  const auto seen = profile_of(truth, kNanoGrid.size() / 2);
  const auto expected = expect(priors.training, {{seen.mode, 1, seen.p99_ms, seen.power_w, 1}}, {}, points);
  const auto exact = truth.at(points);
  return (expected.time.mean - exact.time.mean).abs().mean() +
         (expected.power.mean - exact.power.mean).abs().mean();
}

void expect_same(const SearchPriors& a, const SearchPriors& b) {
  EXPECT_TRUE(a.training.time.parameters.mean.isApprox(b.training.time.parameters.mean));
  EXPECT_TRUE(a.training.time.parameters.covariance.isApprox(b.training.time.parameters.covariance));
  EXPECT_TRUE(a.inference.power.parameters.covariance.isApprox(b.inference.power.parameters.covariance));
}

TEST(PriorLearning, OfNothingIsTheBase) {
  expect_same(learned_priors(base(), {}, {}), base());
}

TEST(PriorLearning, OfAFewProfilesIsTheBase) {
  expect_same(learned_priors(base(), {known_workload(0, kLeastProfiles - 1)}, {}), base());
}

TEST(PriorLearning, TellsOfAWorkloadThatWasLeftOut) {
  const std::vector<double> sizes{-.4, 0, .5};
  for (std::size_t left_out = 0; left_out < sizes.size(); ++left_out) {
    std::vector<ProfileSet> others;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (i != left_out) others.push_back(known_workload(sizes[i], 12));
    }
    const Truth truth(sizes[left_out]);
    EXPECT_LT(error_after_one_probe(learned_priors(base(), others, {}), truth),
              error_after_one_probe(base(), truth));
  }
}

TEST(PriorLearning, IsSurerOfWhatWorkloadsHaveInCommon) {
  const auto learned = learned_priors(base(), {known_workload(-.4, 12), known_workload(.5, 12)}, {});
  EXPECT_LT(learned.training.power.parameters.covariance(0, 0),
            base().training.power.parameters.covariance(0, 0));
  EXPECT_TRUE(
      learned.inference.time.parameters.covariance.isApprox(base().inference.time.parameters.covariance))
      << "of which nothing is known";
}

TEST(PriorLearning, TakesTheTrainingOfOneBatchSizeForOneWorkload) {
  auto mixed = known_workload(0, 12);
  auto other = profile_of(Truth(2), 1);
  other.batch_size = 64;
  ASSERT_TRUE(mixed.add(other));
  expect_same(learned_priors(base(), {mixed}, {}), learned_priors(base(), {known_workload(0, 12)}, {}));
}

}  // namespace
}  // namespace fulcrum::scheduler

#include "networks/physics.h"

#include <gmock/gmock.h>

#include <cmath>

namespace fulcrum::networks {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;

TEST(Physics, FindsTheWeightsThatTheValuesWereMadeWith) {
  Rows terms;
  std::vector<double> values;
  for (int i = 1; i <= 10; ++i) {
    terms.push_back({1, 1.0 / i, static_cast<double>(i)});
    values.push_back(3 + 5.0 / i + 0.5 * i);
  }
  const auto weights = fit_terms(terms, values);
  EXPECT_THAT(weights, ElementsAre(DoubleNear(3, 0.1), DoubleNear(5, 0.1), DoubleNear(0.5, 0.05)));
}

TEST(Physics, GivesNoTermANegativeWeight) {
  const Rows terms{{1, 1}, {1, 2}, {1, 3}};
  EXPECT_THAT(fit_terms(terms, {3, 2, 1}), Each(Ge(0)));
}

TEST(Physics, ALineGoesThroughItsPoints) {
  const auto line = fit_line({{-1}, {0}, {1}}, {1, 3, 5}, 1e-9);
  EXPECT_THAT(line, ElementsAre(DoubleNear(3, 1e-6), DoubleNear(2, 1e-6)));
}

TEST(Physics, TermsOfTimeFallWithTheClocksAndRiseWithTheBatch) {
  const auto slow = time_terms({{4, 1000000, 500000000, 2000000000}, 2});
  const auto fast = time_terms({{8, 2000000, 1000000000, 4000000000}, 1});
  ASSERT_EQ(slow.size(), fast.size());
  for (std::size_t i = 1; i < slow.size(); ++i)
    EXPECT_GT(slow[i], fast[i]);
}

}  // namespace
}  // namespace fulcrum::networks

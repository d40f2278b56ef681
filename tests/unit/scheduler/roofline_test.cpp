#include "scheduler/roofline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace fulcrum::scheduler {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

const std::vector<PowerMode> kModes{{4, 422400, 114750000, 665600000},
                                    {8, 1344000, 726750000, 2133000000},
                                    {12, 2201600, 1300500000, 3199000000}};

SearchPoints some_points() {
  return make_points({kModes[0], kModes[1], kModes[2], kModes[1]}, {1, 4, 64, 16});
}

double unit() {
  return *rc::gen::inRange(-1000, 1001) / 1000.0;
}

VectorXd theta_near(const VectorXd& center) {
  VectorXd theta = center;
  for (Index i = 0; i < theta.size(); ++i)
    theta[i] += unit();
  return theta;
}

VectorXd vec(std::initializer_list<double> values) {
  VectorXd v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

const VectorXd kTraining = vec({2.4, 5.1, 4.3, 5.1, .47, .36});
const VectorXd kInference = vec({1.5, -2.5, 3.4, 1, .3, 1, .6, 2, .5, .25});
const VectorXd kPower = vec({2.6, -.6, -.9, -3.9, 2.9, 1.75});

// The gradient against differences.
template <class Function>
void expect_gradient(const VectorXd& theta, const Function& f) {
  constexpr double kStep = 1e-6;
  const auto here = f(theta);
  for (Index i = 0; i < theta.size(); ++i) {
    VectorXd up = theta, down = theta;
    up[i] += kStep;
    down[i] -= kStep;
    const VectorXd slope = (f(up).log - f(down).log) / (2 * kStep);
    RC_ASSERT((slope - here.gradient.col(i)).cwiseAbs().maxCoeff() <
              1e-5 * (1 + slope.cwiseAbs().maxCoeff()));
  }
}

RC_GTEST_PROP(Roofline, GradientsAreRight, ()) {
  const auto points = some_points();
  const auto time = [&points](const VectorXd& theta) { return roofline::time(theta, points); };
  expect_gradient(theta_near(kTraining), time);
  expect_gradient(theta_near(kInference), time);
  const Eigen::ArrayXd share = roofline::gpu_share(theta_near(kTraining), points);
  expect_gradient(theta_near(kPower),
                  [&](const VectorXd& theta) { return roofline::power(theta, points, share); });
}

// The formulas of roofline.h for one point, by hand.
TEST(Roofline, IsTheFormula) {
  const auto points = make_points({kModes[1]}, {4});
  const double q = 1 + std::exp(.5);
  const double c = (std::exp(3.4) + 4 * std::exp(1.0)) / 1.344 * std::pow(4.0 / 8, .25);
  const double g = (std::exp(.3) + 4 * std::exp(1.0)) / .72675;
  const double e = (std::exp(.6) + 4 * std::exp(2.0)) / 2.133;
  const double roof = std::pow(std::pow(c, q) + std::pow(g, q) + std::pow(e, q), 1 / q);
  const double t = std::exp(1.5) + 4 * std::exp(-2.5) + roof;
  EXPECT_NEAR(roofline::time(kInference, points).log[0], std::log(t), 1e-12);
  const auto share = roofline::gpu_share(kInference, points);
  EXPECT_NEAR(share[0], g / t, 1e-12);
  const double p = std::exp(2.6) + std::exp(-.6) * 2.133 + std::exp(-.9) * 1.344 * 1.344 +
                   std::exp(-3.9) * 8 * 1.344 * 1.344 + std::exp(2.9) * g / t * std::pow(.72675, 1.75);
  EXPECT_NEAR(roofline::power(kPower, points, share).log[0], std::log(p), 1e-12);
}

RC_GTEST_PROP(Roofline, NothingIsSlowerWithAHigherClock, ()) {
  const VectorXd theta = theta_near(kInference);
  auto modes = kModes;
  const auto before = roofline::time(theta, make_points({modes[1]}, {16})).log[0];
  for (int knob = 0; knob < 3; ++knob) {
    PowerMode faster = modes[1];
    if (knob == 0) faster.cpu_khz *= 2;
    if (knob == 1) faster.gpu_hz *= 2;
    if (knob == 2) faster.emc_hz *= 2;
    RC_ASSERT(roofline::time(theta, make_points({faster}, {16})).log[0] <= before);
  }
}

}  // namespace
}  // namespace fulcrum::scheduler

// Optimizers, gradient clipping and the scaling of losses: that each does what its formula says, and goes on
// from its saved state as if it had not been saved.

#include "workloads/optimizers.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "workloads/mixed_precision.h"

namespace fulcrum::workloads {
namespace {

at::Tensor parameter() {
  return at::tensor({1.0, -2.0}, at::kDouble).set_requires_grad(true);
}
// Its gradient is 2 p.
void backward(const at::Tensor& p) {
  p.mutable_grad().reset();
  p.square().sum().backward();
}
double first(const at::Tensor& p) {
  return p.detach()[0].item<double>();
}

OptimizerSpec named(const std::string& name) {
  OptimizerSpec spec;
  spec.name = name;
  spec.lr = 0.1;
  spec.momentum = 0;
  return spec;
}

TEST(Optimizers, SgdWithNesterovAndWeightDecay) {
  auto spec = named("sgd");
  spec.momentum = 0.9;
  spec.nesterov = true;
  spec.weight_decay = 0.5;
  const auto p = parameter();
  const auto optimizer = make_optimizer(spec, {p});
  double x = 1;
  double velocity = 0;
  for (int i = 0; i < 3; ++i) {
    backward(p);
    optimizer->step();
    const double gradient = 2 * x + 0.5 * x;
    velocity = i == 0 ? gradient : 0.9 * velocity + gradient;
    x -= 0.1 * (gradient + 0.9 * velocity);
    EXPECT_NEAR(first(p), x, 1e-12);
  }
}

TEST(Optimizers, AdamAndAdamW) {
  for (const std::string name : {"adam", "adamw"}) {
    SCOPED_TRACE(name);
    auto spec = named(name);
    spec.beta1 = 0.8;
    spec.beta2 = 0.9;
    spec.eps = 1e-3;
    spec.weight_decay = 0.1;
    const auto p = parameter();
    const auto optimizer = make_optimizer(spec, {p});
    double x = 1;
    double m = 0;
    double v = 0;
    for (int t = 1; t <= 3; ++t) {
      backward(p);
      optimizer->step();
      const bool decoupled = name == "adamw";
      const double gradient = 2 * x + (decoupled ? 0 : 0.1 * x);
      if (decoupled) x *= 1 - 0.1 * 0.1;
      m = 0.8 * m + 0.2 * gradient;
      v = 0.9 * v + 0.1 * gradient * gradient;
      x -= 0.1 * (m / (1 - std::pow(0.8, t))) / (std::sqrt(v / (1 - std::pow(0.9, t))) + 1e-3);
      EXPECT_NEAR(first(p), x, 1e-12);
    }
  }
}

TEST(Optimizers, RmspropWithMomentum) {
  auto spec = named("rmsprop");
  spec.alpha = 0.9;
  spec.eps = 1e-3;
  spec.momentum = 0.5;
  const auto p = parameter();
  const auto optimizer = make_optimizer(spec, {p});
  double x = 1;
  double square = 0;
  double buffer = 0;
  for (int i = 0; i < 3; ++i) {
    backward(p);
    optimizer->step();
    square = 0.9 * square + 0.1 * 4 * x * x;
    buffer = 0.5 * buffer + 2 * x / (std::sqrt(square) + 1e-3);
    x -= 0.1 * buffer;
    EXPECT_NEAR(first(p), x, 1e-12);
  }
}

TEST(Optimizers, GoOnFromTheirSavedState) {
  for (const std::string name : {"sgd", "adam", "adamw", "rmsprop"}) {
    SCOPED_TRACE(name);
    auto spec = named(name);
    if (name == "sgd" || name == "rmsprop") spec.momentum = 0.9;
    const auto one = parameter();
    const auto whole = make_optimizer(spec, {one});
    for (int i = 0; i < 2; ++i) {
      backward(one);
      whole->step();
    }
    const auto other = one.detach().clone().set_requires_grad(true);
    const auto resumed = make_optimizer(spec, {other});
    load_optimizer(*resumed, save_optimizer(*whole));
    for (int i = 0; i < 3; ++i) {
      backward(one);
      whole->step();
      backward(other);
      resumed->step();
    }
    EXPECT_TRUE(at::equal(one, other));
  }
}

TEST(Optimizers, TakeTheRateTheyAreTold) {
  const auto p = parameter();
  const auto optimizer = make_optimizer(named("sgd"), {p});
  set_lr(*optimizer, 0.25);
  backward(p);
  optimizer->step();
  EXPECT_NEAR(first(p), 0.5, 1e-12);
}

TEST(Clipping, ByNormKeepsTheDirection) {
  const auto p = parameter();
  backward(p);
  clip_gradients({1.0, std::nullopt}, {p});
  EXPECT_NEAR(p.grad().norm().item<double>(), 1, 1e-5);
  EXPECT_NEAR(p.grad()[1].item<double>() / p.grad()[0].item<double>(), -2, 1e-9);
  clip_gradients({5.0, std::nullopt}, {p});
  EXPECT_NEAR(p.grad().norm().item<double>(), 1, 1e-5) << "what is inside stays";
}

TEST(Clipping, ByValueCutsEachElement) {
  const auto p = parameter();
  backward(p);
  clip_gradients({std::nullopt, 3.0}, {p});
  EXPECT_EQ(p.grad()[0].item<double>(), 2);
  EXPECT_EQ(p.grad()[1].item<double>(), -3);
}

TEST(LossScaling, DividesGradientsAndLeavesOutAStepThatOverflowed) {
  LossScale scale;
  scale.restore({8, 1998});
  const auto p = parameter();
  const auto step = [&](double factor) {
    p.mutable_grad().reset();
    p.square().sum().mul(factor).backward();
    return scale.unscale({p});
  };
  EXPECT_TRUE(step(scale.scale()));
  EXPECT_EQ(p.grad()[0].item<double>(), 2);
  EXPECT_EQ(scale.scale(), 8);
  EXPECT_TRUE(step(scale.scale()));
  EXPECT_EQ(scale.scale(), 16) << "after 2000 steps without an overflow";
  EXPECT_FALSE(step(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(scale.scale(), 8);
  EXPECT_EQ(scale.state().steps, 0);
}

}  // namespace
}  // namespace fulcrum::workloads

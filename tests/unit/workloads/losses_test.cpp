#include "workloads/losses.h"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fulcrum::workloads {
namespace {

using testing::HasSubstr;

at::Tensor output() {
  return at::tensor({1.0F, 2.0F, 3.0F, 0.0F, -1.0F, 4.0F}).reshape({2, 3});
}
at::Tensor labels() {
  return at::tensor({std::int64_t{2}, std::int64_t{0}});
}
double loss(const std::string& name, const at::Tensor& output, const at::Tensor& targets) {
  return mean_loss(name, output, targets).item<double>();
}
std::string thrown(const std::string& name, const at::Tensor& output, const at::Tensor& targets) {
  try {
    mean_loss(name, output, targets);
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "nothing";
}

// By hand: -log softmax at the label.
TEST(Losses, CrossEntropyIsOfLogits) {
  const auto term = [](double x, double a, double b, double c) {
    return -x + std::log(std::exp(a) + std::exp(b) + std::exp(c));
  };
  EXPECT_NEAR(loss("cross_entropy", output(), labels()), (term(3, 1, 2, 3) + term(0, 0, -1, 4)) / 2, 1e-6);
}

TEST(Losses, NllIsOfLogProbabilities) {
  EXPECT_NEAR(loss("nll", at::log_softmax(output(), 1), labels()), loss("cross_entropy", output(), labels()),
              1e-6);
}

TEST(Losses, MseTakesValuesOrTheVectorsThatLabelsStandFor) {
  const auto one_hot = at::tensor({0.0F, 0.0F, 1.0F, 1.0F, 0.0F, 0.0F}).reshape({2, 3});
  EXPECT_NEAR(loss("mse", output(), one_hot), (1 + 4 + 4 + 1 + 1 + 16) / 6.0, 1e-6);
  EXPECT_EQ(loss("mse", output(), labels()), loss("mse", output(), one_hot));
}

TEST(Losses, MseOfOneNumberTakesLabelsAsNumbers) {
  const auto numbers = at::tensor({1.0F, 4.0F});
  EXPECT_NEAR(loss("mse", numbers, labels()), (1 + 16) / 2.0, 1e-6);
  EXPECT_NEAR(loss("mse", numbers.unsqueeze(1), labels()), (1 + 16) / 2.0, 1e-6);
}

TEST(Losses, BceIsOfLogits) {
  const auto zero = at::tensor({0.0F, 0.0F});
  EXPECT_NEAR(loss("bce_with_logits", zero, at::tensor({0.0F, 1.0F})), std::log(2.0), 1e-6);
  EXPECT_NEAR(loss("bce_with_logits", zero, at::tensor({std::int64_t{1}, std::int64_t{0}})), std::log(2.0),
              1e-6);
}

TEST(Losses, SayWhatDoesNotFit) {
  EXPECT_THAT(thrown("cross_entropy", output().reshape({6}), labels()), HasSubstr("[n, classes]"));
  EXPECT_THAT(thrown("nll", output().reshape({3, 2}), labels()), HasSubstr("[3, 2]"));
  EXPECT_THAT(thrown("mse", output(), at::tensor({1.0F, 2.0F})), HasSubstr("targets of the output's shape"));
  EXPECT_THAT(thrown("mse", output().to(at::kLong), labels()), HasSubstr("floating-point"));
}

// Without inputs.
Minibatch labelled(std::vector<std::int64_t> targets) {
  const auto owner = std::make_shared<std::vector<std::int64_t>>(std::move(targets));
  return {std::make_shared<SampleLayout>(), owner->size(), nullptr,
          std::shared_ptr<std::byte>(owner, reinterpret_cast<std::byte*>(owner->data()))};
}

TEST(Losses, ALabelMustBeAClassOfTheModel) {
  EXPECT_NO_THROW(check_labels(output(), labelled({0, 1, 2})));
  EXPECT_THROW(check_labels(output(), labelled({3})), c10::Error);
  EXPECT_THROW(check_labels(output(), labelled({-1})), c10::Error);
}

}  // namespace
}  // namespace fulcrum::workloads

#include "workloads/network.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace fulcrum::workloads {
namespace {

std::unique_ptr<Network> lenet5(int num_classes = 10) {
  return make_network({"lenet5", num_classes}, c10::Device(c10::kCPU));
}

TEST(Network, LeNet5HasItsParametersAndLogits) {
  const auto network = lenet5();
  std::int64_t parameters = 0;
  for (const auto& parameter : network->parameters())
    parameters += parameter.numel();
  EXPECT_EQ(parameters, 61706);
  EXPECT_EQ(network->forward(at::zeros({3, 1, 28, 28})).sizes().vec(), (std::vector<std::int64_t>{3, 10}));
}

TEST(Network, SavedWeightsLoadIntoTheSameNetwork) {
  const auto network = lenet5();
  const auto other = lenet5();
  EXPECT_NE(digest_of(*network), digest_of(*other));
  other->load(network->save());
  EXPECT_EQ(digest_of(*network), digest_of(*other));
}

TEST(Network, RefusesWeightsOfAnotherNetwork) {
  EXPECT_THROW(lenet5()->load("no archive"), std::exception);
}

TEST(Network, CloneSharesNoWeights) {
  const auto network = lenet5();
  const auto before = digest_of(*network);
  const auto clone = network->clone();
  EXPECT_EQ(digest_of(*clone), before);
  clone->parameters().front().data().add_(1);
  EXPECT_NE(digest_of(*clone), before);
  EXPECT_EQ(digest_of(*network), before);
}

}  // namespace
}  // namespace fulcrum::workloads

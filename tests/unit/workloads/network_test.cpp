#include "workloads/network.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <sstream>

namespace fulcrum::workloads {
namespace {

std::unique_ptr<Network> builtin(const std::string& name, const std::vector<std::int64_t>& sample_shape) {
  return make_network({name, 10}, nullptr, sample_shape, c10::Device(c10::kCPU));
}
std::unique_ptr<Network> lenet5() {
  return builtin("lenet5", {1, 28, 28});
}
std::int64_t parameters_of(const Network& network) {
  std::int64_t parameters = 0;
  for (const auto& parameter : network.parameters())
    parameters += parameter.numel();
  return parameters;
}

TEST(Network, LeNet5HasItsParametersAndLogits) {
  const auto network = lenet5();
  EXPECT_EQ(parameters_of(*network), 61706);
  EXPECT_EQ(network->forward(at::zeros({3, 1, 28, 28})).sizes().vec(), (std::vector<std::int64_t>{3, 10}));
}

TEST(Network, TheMlpTakesSamplesOfAnyShape) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{7}, {3, 32, 32}}) {
    const auto network = builtin("mlp", shape);
    std::vector<std::int64_t> batch{2};
    batch.insert(batch.end(), shape.begin(), shape.end());
    EXPECT_EQ(network->forward(at::zeros(batch)).sizes().vec(), (std::vector<std::int64_t>{2, 10}));
  }
  EXPECT_EQ(parameters_of(*builtin("mlp", {7})), 8 * 256 + 257 * 128 + 129 * 10);
}

TEST(Network, TheLstmReadsRowsOrSteps) {
  EXPECT_EQ(parameters_of(*builtin("lstm", {3, 32, 20})), 4 * 128 * (60 + 128 + 2) + 129 * 10);
  const auto steps = builtin("lstm", {5, 4});
  EXPECT_EQ(steps->forward(at::zeros({2, 5, 4})).sizes().vec(), (std::vector<std::int64_t>{2, 10}));
  at::Tensor batch = at::zeros({1, 1, 6, 4});
  const auto rows = builtin("lstm", {1, 6, 4});
  const at::Tensor before = rows->forward(batch);
  batch[0][0][0][0] = 1;
  EXPECT_FALSE(at::equal(rows->forward(batch), before)) << "the first row is remembered to the last";
}

TEST(Network, EveryBuiltinIsHandedOnAsAScriptThatAnswersTheSame) {
  for (const char* name : {"lenet5", "mlp", "lstm"}) {
    SCOPED_TRACE(name);
    const auto network = builtin(name, {1, 28, 28});
    std::istringstream trained(network->save_trained());
    auto script = torch::jit::load(trained);
    at::Tensor batch = at::rand({3, 1, 28, 28});
    EXPECT_TRUE(at::equal(script.forward({batch}).toTensor(), network->forward(batch)));
    std::vector<std::string> names;
    for (const auto& parameter : script.named_parameters())
      names.push_back(parameter.name);
    std::sort(names.begin(), names.end());
    std::vector<std::string> own;
    for (const auto& [own_name, tensor] : network->named_tensors())
      own.push_back(own_name);
    EXPECT_EQ(names, own);
  }
  const auto steps = builtin("lstm", {5, 4});
  std::istringstream trained(steps->save_trained());
  at::Tensor batch = at::rand({2, 5, 4});
  EXPECT_TRUE(at::equal(torch::jit::load(trained).forward({batch}).toTensor(), steps->forward(batch)));
}

TEST(Network, EveryBuiltinIsSavedLoadedAndCloned) {
  for (const char* name : {"lenet5", "mlp", "lstm"}) {
    SCOPED_TRACE(name);
    const auto network = builtin(name, {1, 28, 28});
    const auto other = builtin(name, {1, 28, 28});
    EXPECT_NE(digest_of(*network), digest_of(*other));
    other->load(network->save());
    EXPECT_EQ(digest_of(*network), digest_of(*other));
    const auto clone = network->clone();
    EXPECT_EQ(digest_of(*clone), digest_of(*network));
    clone->parameters().front().data().add_(1);
    EXPECT_NE(digest_of(*clone), digest_of(*network));
  }
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

#include "workloads/network.h"

#include <fmt/format.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>
#include <torch/serialize.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace fulcrum::workloads {

namespace {

namespace nn = torch::nn;

// LeCun et al., "Gradient-based learning applied to document recognition" (1998), figure 2, for images of 28
// x 28: padded to 32 x 32 as there, with ReLU and max-pooling in place of tanh and subsampling. c5 is a
// convolution as in the paper; its output is 1 x 1.
nn::Sequential lenet5(int num_classes) {
  using Conv = nn::Conv2dOptions;
  const auto pool = nn::MaxPool2dOptions(2);
  return nn::Sequential({{"c1", nn::AnyModule(nn::Conv2d(Conv(1, 6, 5).padding(2)))},
                         {"c1_relu", nn::AnyModule(nn::ReLU())},
                         {"s2", nn::AnyModule(nn::MaxPool2d(pool))},
                         {"c3", nn::AnyModule(nn::Conv2d(Conv(6, 16, 5)))},
                         {"c3_relu", nn::AnyModule(nn::ReLU())},
                         {"s4", nn::AnyModule(nn::MaxPool2d(pool))},
                         {"c5", nn::AnyModule(nn::Conv2d(Conv(16, 120, 5)))},
                         {"c5_relu", nn::AnyModule(nn::ReLU())},
                         {"flatten", nn::AnyModule(nn::Flatten())},
                         {"f6", nn::AnyModule(nn::Linear(120, 84))},
                         {"f6_relu", nn::AnyModule(nn::ReLU())},
                         {"output", nn::AnyModule(nn::Linear(84, num_classes))}});
}

class SequentialNetwork final : public Network {
 public:
  explicit SequentialNetwork(nn::Sequential layers) : layers_(std::move(layers)) {}

  at::Tensor forward(const at::Tensor& batch) override { return layers_->forward(batch); }
  void set_training(bool training) override { layers_->train(training); }
  std::vector<at::Tensor> parameters() const override { return layers_->parameters(); }

  std::vector<std::pair<std::string, at::Tensor>> named_tensors() const override {
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (const auto& item : layers_->named_parameters())
      tensors.emplace_back(item.key(), item.value());
    for (const auto& item : layers_->named_buffers())
      tensors.emplace_back(item.key(), item.value());
    std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return tensors;
  }

  std::unique_ptr<Network> clone() const override {
    nn::Sequential copy;  // not Sequential::clone, which drops the layers' names
    auto layer = layers_->begin();
    for (const auto& child : layers_->named_children())
      copy->push_back(child.key(), (layer++)->clone());
    copy->train(layers_->is_training());
    return std::make_unique<SequentialNetwork>(std::move(copy));
  }

  std::string save() const override {
    std::ostringstream archive;
    torch::save(layers_, archive);
    return archive.str();
  }

  void load(const std::string& archive) override {
    torch::serialize::InputArchive input;
    input.load_from(archive.data(), archive.size());
    layers_->load(input);
  }

 private:
  nn::Sequential layers_;
};

constexpr std::uint64_t kFnvOffset = 14695981039346656037ULL;
constexpr std::uint64_t kFnvPrime = 1099511628211ULL;

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return hash;
}

}  // namespace

std::unique_ptr<Network> make_network(const ModelSpec& model, c10::Device device) {
  // Its names are those of builtin_models.cpp.
  if (model.builtin != "lenet5")
    throw std::invalid_argument("unknown built-in model '" + model.builtin + "'");
  nn::Sequential layers = lenet5(model.num_classes);
  layers->to(device);
  return std::make_unique<SequentialNetwork>(std::move(layers));
}

std::string digest_of(const Network& network) {
  std::uint64_t hash = kFnvOffset;
  for (const auto& [name, tensor] : network.named_tensors()) {
    const at::Tensor values = tensor.detach().cpu().contiguous();
    hash = fnv1a(name, hash);
    hash = fnv1a({static_cast<const char*>(values.data_ptr()), values.nbytes()}, hash);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace fulcrum::workloads

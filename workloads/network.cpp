#include "workloads/network.h"

#include <fmt/format.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/serialize.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "workloads/builtin_networks.h"
#include "workloads/builtin_script.h"
#include "workloads/script_network.h"

namespace fulcrum::workloads {

namespace {

namespace nn = torch::nn;

class SequentialNetwork final : public Network {
 public:
  SequentialNetwork(std::string name, nn::Sequential layers)
      : name_(std::move(name)), layers_(std::move(layers)) {}

  c10::IValue answer(const at::Tensor& batch) override { return layers_->forward(batch); }
  void set_training(bool training) override { layers_->train(training); }
  std::vector<at::Tensor> parameters() const override { return layers_->parameters(); }
  std::vector<at::Tensor> buffers() const override { return layers_->buffers(); }

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
    return std::make_unique<SequentialNetwork>(name_, std::move(copy));
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

  std::string save_trained() const override {
    std::ostringstream archive;
    builtin_script(name_, layers_).save(archive);
    return archive.str();
  }

 private:
  std::string name_;
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

at::Tensor Network::forward(const at::Tensor& batch) {
  c10::IValue output = answer(batch);
  TORCH_CHECK(output.isTensor(), "forward(input) returns ", output.tagKind(),
              ", but one tensor is needed; with loss 'in_model' the model itself makes the loss of it");
  return std::move(output).toTensor();
}

at::Tensor Network::loss_in_model(const at::Tensor& /*batch*/, const at::Tensor& /*targets*/) {
  TORCH_CHECK(false, "a built-in network has no loss of its own; choose another loss than 'in_model'");
}

std::unique_ptr<Network> make_network(const ModelSpec& model, const ModelFile* file,
                                      const std::vector<std::int64_t>& sample_shape, c10::Device device,
                                      Execution execution) {
  if (file != nullptr) return make_script_network(*file, device, execution);
  nn::Sequential layers = builtin_layers(model, sample_shape);
  layers->to(device);
  return std::make_unique<SequentialNetwork>(model.builtin, std::move(layers));
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

#include "workloads/script_network.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/object.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace fulcrum::workloads {

namespace {

using torch::jit::Module;

// The state of `from`, which is of the same class, into `to`, whose tensors stay the objects they are: an
// optimizer holds them.
void copy_module_state(const Module& from, Module& to) {
  const auto& type = *to.type();
  TORCH_CHECK(from.type()->numAttributes() == type.numAttributes(), "the state is of another network");
  for (std::size_t i = 0; i < type.numAttributes(); ++i) {
    TORCH_CHECK(from.type()->getAttributeName(i) == type.getAttributeName(i), "the state has '",
                from.type()->getAttributeName(i), "' where the network has '", type.getAttributeName(i), "'");
    const c10::IValue source = from._ivalue()->getSlot(i);
    const c10::IValue target = to._ivalue()->getSlot(i);
    TORCH_CHECK(source.isModule() == target.isModule(), "the state is of another network");
    if (target.isModule()) {
      Module inner = target.toModule();
      copy_module_state(source.toModule(), inner);
    } else if (source.isTensor() && target.isTensor() && target.toTensor().defined()) {
      TORCH_CHECK(source.toTensor().sizes() == target.toTensor().sizes() &&
                      source.toTensor().scalar_type() == target.toTensor().scalar_type(),
                  "the state's '", type.getAttributeName(i),
                  "' has another shape or type than the network's");
      target.toTensor().copy_(source.toTensor());
    } else {
      to._ivalue()->setSlot(i, source);
    }
  }
}

std::string archive_of(const Module& module) {
  std::ostringstream archive;
  module.save(archive);
  return archive.str();
}

class ScriptNetwork final : public Network {
 public:
  ScriptNetwork(const Module& module, c10::Device device, Execution execution)
      : module_(module), device_(device), execution_(execution) {}

  c10::IValue answer(const at::Tensor& batch) override { return run({batch}); }

  at::Tensor loss_in_model(const at::Tensor& batch, const at::Tensor& targets) override {
    const c10::IValue loss = run({batch, targets});
    TORCH_CHECK(loss.isTensor(), "forward(input, target) returns ", loss.tagKind(),
                ", not the loss as a tensor");
    TORCH_CHECK(loss.toTensor().numel() == 1 && loss.toTensor().is_floating_point(),
                "forward(input, target) returns a tensor of ", loss.toTensor().sizes(),
                ", not one floating-point number, the loss");
    return loss.toTensor().reshape({});
  }

  void set_training(bool training) override { module_.train(training); }

  std::vector<at::Tensor> parameters() const override {
    std::vector<at::Tensor> parameters;
    std::set<const c10::TensorImpl*> seen;  // tied weights have two names
    for (const auto& parameter : module_.parameters()) {
      if (parameter.requires_grad() && seen.insert(parameter.unsafeGetTensorImpl()).second)
        parameters.push_back(parameter);
    }
    return parameters;
  }

  std::vector<at::Tensor> buffers() const override {
    std::vector<at::Tensor> buffers;
    for (const auto& buffer : module_.buffers())
      buffers.push_back(buffer);
    return buffers;
  }

  std::vector<std::pair<std::string, at::Tensor>> named_tensors() const override {
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (const auto& item : module_.named_parameters())
      tensors.emplace_back(item.name, item.value);
    for (const auto& item : module_.named_buffers())
      tensors.emplace_back(item.name, item.value);
    std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return tensors;
  }

  std::unique_ptr<Network> clone() const override {
    const at::NoGradGuard no_gradients;
    Module copy = module_.deepcopy();
    auto original = module_.parameters().begin();
    for (auto parameter : copy.parameters())
      parameter.set_requires_grad((*original++).requires_grad());
    return std::make_unique<ScriptNetwork>(copy, device_, execution_);
  }

  // Whole, because a module may keep more than tensors from one step to the next.
  std::string save() const override { return archive_of(module_); }

  void load(const std::string& archive) override {
    const at::NoGradGuard no_gradients;
    std::istringstream bytes(archive);
    copy_module_state(torch::jit::load(bytes, device_), module_);
  }

  std::string save_trained() const override {
    const at::NoGradGuard no_gradients;
    Module copy = module_.deepcopy();
    copy.to(c10::Device(c10::kCPU));
    copy.eval();
    return archive_of(copy);
  }

 private:
  c10::IValue run(std::vector<c10::IValue> inputs) {
    const torch::jit::GraphOptimizerEnabledGuard optimizing(execution_ == Execution::optimized);
    return module_.forward(std::move(inputs));
  }

  Module module_;
  c10::Device device_;
  Execution execution_;
};

}  // namespace

std::unique_ptr<Network> make_script_network(const ModelFile& file, c10::Device device, Execution execution) {
  Module module = file.module;
  module.to(device);
  auto network = std::make_unique<ScriptNetwork>(module, device, execution);
  network->set_training(true);
  return network;
}

}  // namespace fulcrum::workloads

#pragma once
// TorchScript files, written by the tests without Python. Includes LibTorch.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

namespace fulcrum::test {

// Of images of 28 x 28: one hidden layer, dropout, batch-norm's bookkeeping by hand in `steps`, which counts
// the calls in training, and an attribute that is no tensor.
inline constexpr const char* kPerceptronForward = R"(
def forward(self, x):
    h = torch.relu(torch.matmul(x.flatten(1), self.w1) + self.b1)
    h = torch.dropout(h, 0.25, self.training)
    if self.training:
        self.steps.add_(1)
        self.calls = self.calls + 1
    return torch.matmul(h, self.w2)
)";

// Much the same, with this statement in the forward passes of training from
// number `first` to number `last`.
inline std::string forward_with(const std::string& statement, int first, int last) {
  return "def forward(self, x):\n"
         "    if self.training:\n"
         "        self.calls = self.calls + 1\n"
         "        if self.calls >= " +
         std::to_string(first) + " and self.calls <= " + std::to_string(last) +
         ":\n"
         "            " +
         statement +
         "\n"
         "        self.steps.add_(1)\n"
         "    h = torch.relu(torch.matmul(x.flatten(1), self.w1) + self.b1)\n"
         "    h = torch.dropout(h, 0.25, self.training)\n"
         "    return torch.matmul(h, self.w2)\n";
}

struct ScriptOptions {
  std::int64_t classes = 3;
  std::int64_t inputs = 784;
};

// A module with the parameters w1, b1 and w2, random but always the same, and this forward.
inline torch::jit::Module perceptron(const std::string& forward = kPerceptronForward,
                                     ScriptOptions options = {}) {
  constexpr std::int64_t kHidden = 16;
  auto generator = at::detail::createCPUGenerator(17);
  const auto random = [&](std::vector<std::int64_t> sizes) {
    return at::randn(sizes, generator).mul_(0.05).set_requires_grad(true);
  };
  torch::jit::Module module("perceptron");
  module.register_parameter("w1", random({options.inputs, kHidden}), false);
  module.register_parameter("b1", random({kHidden}), false);
  module.register_parameter("w2", random({kHidden, options.classes}), false);
  module.register_buffer("steps", at::zeros({1}));
  module.register_attribute("training", c10::BoolType::get(), true);
  module.register_attribute("calls", c10::IntType::get(), 0);
  module.define(forward + "\n");
  return module;
}

// Saved as ScriptModule.save() does it; the path again.
inline std::string save_script(const std::string& path, const torch::jit::Module& module) {
  module.save(path);
  return path;
}

}  // namespace fulcrum::test

#include "workloads/builtin_script.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <map>
#include <string_view>

namespace fulcrum::workloads {

namespace {

constexpr const char* kLenet5 = R"(
def forward(self, x):
    h = torch.relu(torch.conv2d(x, self.c1.weight, self.c1.bias, [1, 1], [2, 2]))
    h = torch.relu(torch.conv2d(torch.max_pool2d(h, [2, 2]), self.c3.weight, self.c3.bias))
    h = torch.relu(torch.conv2d(torch.max_pool2d(h, [2, 2]), self.c5.weight, self.c5.bias))
    h = torch.relu(torch.linear(h.flatten(1), self.f6.weight, self.f6.bias))
    return torch.linear(h, self.output.weight, self.output.bias)
)";

constexpr const char* kMlp = R"(
def forward(self, x):
    h = torch.relu(torch.linear(x.flatten(1), self.hidden1.weight, self.hidden1.bias))
    h = torch.relu(torch.linear(h, self.hidden2.weight, self.hidden2.bias))
    return torch.linear(h, self.output.weight, self.output.bias)
)";

// The arguments after the weights: biases, one layer, no dropout, not in training, one direction, batch
// first.
constexpr const char* kLstm = R"(
def forward(self, x):
    steps = x
    if x.dim() == 4:
        steps = x.permute([0, 2, 1, 3]).flatten(2)
    lstm = self.reader.lstm
    zeros = torch.zeros([1, steps.size(0), lstm.weight_hh_l0.size(1)], dtype=steps.dtype, device=steps.device)
    weights = [lstm.weight_ih_l0, lstm.weight_hh_l0, lstm.bias_ih_l0, lstm.bias_hh_l0]
    h, last_h, last_c = torch.lstm(steps, [zeros, zeros], weights, True, 1, 0.0, False, False, True)
    return torch.linear(h.select(1, -1), self.output.weight, self.output.bias)
)";

const char* forward_of(const std::string& name) {
  if (name == "mlp") return kMlp;
  if (name == "lstm") return kLstm;
  TORCH_CHECK(name == "lenet5", "unknown built-in model '", name, "'");
  return kLenet5;
}

// Parameters by their names' parts.
struct Part {
  std::map<std::string, at::Tensor> parameters;
  std::map<std::string, Part> parts;

  void add(std::string_view name, const at::Tensor& parameter) {
    const auto dot = name.find('.');
    if (dot == std::string_view::npos) {
      parameters.emplace(name, parameter);
    } else {
      parts[std::string(name.substr(0, dot))].add(name.substr(dot + 1), parameter);
    }
  }

  torch::jit::Module to_module(const std::string& name) const {
    torch::jit::Module module("__torch__." + name);
    for (const auto& [own, parameter] : parameters)
      module.register_parameter(own, parameter, false);
    for (const auto& [own, part] : parts)
      module.register_module(own, part.to_module(fmt::format("{}_{}", name, own)));
    return module;
  }
};

}  // namespace

torch::jit::Module builtin_script(const std::string& name, const torch::nn::Sequential& layers) {
  Part all;
  for (const auto& item : layers->named_parameters()) {
    at::Tensor copy =
        item.value().detach().to(c10::Device(c10::kCPU), item.value().scalar_type(), false, true);
    all.add(item.key(), copy.set_requires_grad(true));
  }
  torch::jit::Module module = all.to_module(name);
  module.define(forward_of(name));
  return module;
}

}  // namespace fulcrum::workloads

#pragma once
// A built-in network as a TorchScript module, for whoever uses what was trained. Includes LibTorch: not for
// headers that other folders see.

#include <torch/csrc/jit/api/module.h>
#include <torch/nn/modules/container/sequential.h>

#include <string>

namespace fulcrum::workloads {

// With copies of the parameters, under the same names, on the CPU; answers as the layers do. `name`: of the
// built-in network that they are.
torch::jit::Module builtin_script(const std::string& name, const torch::nn::Sequential& layers);

}  // namespace fulcrum::workloads

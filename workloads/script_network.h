#pragma once
// A TorchScript module as a network. Includes LibTorch: not for headers that other folders see.
//
// Executed as written, a resumed run can be bit-identical, and no batch size is compiled in the middle of a
// latency budget.

#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>

#include "workloads/model_file.h"
#include "workloads/network.h"

namespace fulcrum::workloads {

struct ModelFile {
  torch::jit::Module module;
  std::string checksum;
};

// Uses the file's own tensors where they are on `device` already: one network for each file that was read.
std::unique_ptr<Network> make_script_network(const ModelFile& file, c10::Device device, Execution execution);

// What read_model_file() holds against a module that could be loaded; script_checks.cpp.
[[nodiscard]] Expected<void> check_script(const torch::jit::Module& module, const JobSpec& spec);

}  // namespace fulcrum::workloads

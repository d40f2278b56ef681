#pragma once
// The optimizers by their names in job specs, and what is done to gradients before they step. Includes
// LibTorch: not for headers that other folders see.

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "common/optimization_spec.h"

namespace fulcrum::workloads {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerSpec& spec,
                                                        std::vector<at::Tensor> parameters);

void set_lr(torch::optim::Optimizer& optimizer, double lr);

// Its buffers and counters as an archive, and back. load() keeps the parameters.
std::string save_optimizer(const torch::optim::Optimizer& optimizer);
void load_optimizer(torch::optim::Optimizer& optimizer, const std::string& archive);

void clip_gradients(const ClippingSpec& clipping, const std::vector<at::Tensor>& parameters);

}  // namespace fulcrum::workloads

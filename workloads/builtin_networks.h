#pragma once
// The layers of the built-in networks. Includes LibTorch: not for headers that other folders see.

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <vector>

#include "common/model_spec.h"

namespace fulcrum::workloads {

// With random weights from the default generator of the CPU. The names are those of builtin_models.cpp, and
// the samples of a shape that it allows. In: [n, sample shape]; out: logits [n, classes].
torch::nn::Sequential builtin_layers(const ModelSpec& model, const std::vector<std::int64_t>& sample_shape);

}  // namespace fulcrum::workloads

#pragma once
// A minibatch of the loader as tensors on a device.

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <cstdint>
#include <vector>

#include "workloads/dataset.h"

namespace fulcrum::workloads {

struct BatchTensors {
  at::Tensor inputs;   // float32 [n, sample shape]
  at::Tensor targets;  // int64 [n]
};

// On the CPU the tensors share the minibatch's memory, so it must outlive them.
inline BatchTensors batch_tensors(Minibatch& minibatch, const std::vector<std::int64_t>& sample_shape,
                                  c10::Device device) {
  const auto n = static_cast<std::int64_t>(minibatch.size());
  std::vector<std::int64_t> shape{n};
  shape.insert(shape.end(), sample_shape.begin(), sample_shape.end());
  return {at::from_blob(minibatch.inputs.data(), shape, at::kFloat).to(device),
          at::from_blob(minibatch.targets.data(), {n}, at::kLong).to(device)};
}

}  // namespace fulcrum::workloads

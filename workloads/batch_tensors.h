#pragma once
// A minibatch of the loader as tensors on a device.

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/minibatch.h"

namespace fulcrum::workloads {

struct BatchTensors {
  at::Tensor inputs;   // [n, layout.input.shape]
  at::Tensor targets;  // [n, layout.target.shape]
};

inline at::ScalarType scalar_type(ElementType type) {
  return type == ElementType::float32 ? at::kFloat : at::kLong;
}

// "float32 [16, 1, 28, 28]"
inline std::string shape_text(const Minibatch& minibatch) {
  const auto& input = minibatch.layout->input;
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(minibatch.size())};
  shape.insert(shape.end(), input.shape.begin(), input.shape.end());
  return fmt::format("{} [{}]", name_of(input.type), fmt::join(shape, ", "));
}

// Shares the memory, and keeps it for as long as the tensor lives. Page-locked memory is copied to a device
// in the order of its other work, without waiting for it here.
inline at::Tensor batch_tensor(const std::shared_ptr<std::byte>& memory, const ArrayLayout& layout,
                               std::size_t count, c10::Device device) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(count)};
  shape.insert(shape.end(), layout.shape.begin(), layout.shape.end());
  const auto keep = [memory](void*) {};
  return at::from_blob(memory.get(), shape, keep, scalar_type(layout.type)).to(device, /*non_blocking=*/true);
}

inline BatchTensors batch_tensors(const Minibatch& minibatch, c10::Device device) {
  return {batch_tensor(minibatch.inputs, minibatch.layout->input, minibatch.count, device),
          batch_tensor(minibatch.targets, minibatch.layout->target, minibatch.count, device)};
}

}  // namespace fulcrum::workloads

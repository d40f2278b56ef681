#include "workloads/pinned_memory.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <new>

#include "workloads/device_turn.h"

namespace fulcrum::workloads {

namespace {

std::shared_ptr<std::byte> from_pinned_memory(std::size_t bytes) {
  try {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(true);
    const auto block = std::make_shared<at::Tensor>(at::empty({static_cast<std::int64_t>(bytes)}, options));
    return {block, static_cast<std::byte*>(block->data_ptr())};
  } catch (const c10::Error&) {
    throw std::bad_alloc();
  }
}

}  // namespace

BatchMemory::Allocate batch_allocator() {
  if (best_device().is_cuda()) return from_pinned_memory;
  return BatchMemory::from_heap;
}

}  // namespace fulcrum::workloads

#pragma once
// Where minibatches lie so that the device takes them fastest.

#include "workloads/batch_memory.h"

namespace fulcrum::workloads {

// Page-locked memory where LibTorch has a CUDA device, which copies from it while other work goes on; else
// the heap.
BatchMemory::Allocate batch_allocator();

}  // namespace fulcrum::workloads

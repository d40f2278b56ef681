#pragma once
// The memory that minibatches are made in. What one minibatch gives back the next one gets, so that nothing
// is asked of the system, and no new page touched, once training runs.

#include <cstddef>
#include <functional>
#include <memory>

namespace fulcrum::workloads {

class BatchMemory {
 public:
  // Gives `bytes` bytes, aligned for every element type, which go with the last pointer to them. Throws
  // std::bad_alloc. Called from any thread.
  using Allocate = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

  // On the heap.
  static std::shared_ptr<std::byte> from_heap(std::size_t bytes);

  explicit BatchMemory(Allocate allocate = from_heap);

  // Uninitialised. Callable from any thread; blocks may outlive this.
  std::shared_ptr<std::byte> take(std::size_t bytes);

 private:
  struct Spares;
  Allocate allocate_;
  std::shared_ptr<Spares> spares_;
};

}  // namespace fulcrum::workloads

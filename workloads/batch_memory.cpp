#include "workloads/batch_memory.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

namespace fulcrum::workloads {

namespace {

constexpr std::align_val_t kBlockAlignment{64};
constexpr std::size_t kMostSpares = 8;
// A block is taken for a request of this fraction of its size, and not for a smaller one: targets must not
// sit in the memory of inputs.
constexpr std::size_t kMostWaste = 4;

}  // namespace

// What was given back, the latest last.
struct BatchMemory::Spares {
  struct Block {
    std::size_t bytes;
    std::shared_ptr<std::byte> memory;
  };
  std::mutex mutex;
  std::vector<Block> blocks;

  std::shared_ptr<std::byte> find(std::size_t bytes, std::size_t& capacity) {
    const std::lock_guard lock(mutex);
    const auto fits = [bytes](const Block& block) {
      return block.bytes >= bytes && block.bytes / kMostWaste <= bytes;
    };
    const auto found = std::find_if(blocks.rbegin(), blocks.rend(), fits);
    if (found == blocks.rend()) return nullptr;
    capacity = found->bytes;
    auto memory = std::move(found->memory);
    blocks.erase(std::next(found).base());
    return memory;
  }

  void give_back(Block block) {
    Block oldest{};  // freed after the lock is
    const std::lock_guard lock(mutex);
    if (blocks.size() == kMostSpares) {
      oldest = std::move(blocks.front());
      blocks.erase(blocks.begin());
    }
    blocks.push_back(std::move(block));
  }
};

std::shared_ptr<std::byte> BatchMemory::from_heap(std::size_t bytes) {
  return {static_cast<std::byte*>(::operator new(bytes, kBlockAlignment)),
          [](std::byte* p) { ::operator delete(p, kBlockAlignment); }};
}

BatchMemory::BatchMemory(Allocate allocate)
    : allocate_(std::move(allocate)), spares_(std::make_shared<Spares>()) {
  spares_->blocks.reserve(kMostSpares);
}

std::shared_ptr<std::byte> BatchMemory::take(std::size_t bytes) {
  std::size_t capacity = bytes;
  auto memory = spares_->find(bytes, capacity);
  if (memory == nullptr) memory = allocate_(bytes);
  std::byte* const first = memory.get();
  return {first, [capacity, memory = std::move(memory),
                  spares = std::weak_ptr<Spares>(spares_)](std::byte*) mutable {
            if (const auto alive = spares.lock()) alive->give_back({capacity, std::move(memory)});
          }};
}

}  // namespace fulcrum::workloads

#pragma once
// Samples side by side in memory, ready to become tensors, and what one sample is.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fulcrum::workloads {

enum class ElementType : std::uint8_t { float32, int64 };

std::size_t bytes_of(ElementType type);
const char* name_of(ElementType type);  // as in PyTorch

// Numbers of one type in one shape; in the shape {} there is one.
struct ArrayLayout {
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> shape;

  std::size_t elements() const;
  std::size_t bytes() const { return elements() * bytes_of(type); }
};

inline bool operator==(const ArrayLayout& a, const ArrayLayout& b) {
  return a.type == b.type && a.shape == b.shape;
}

struct SampleLayout {
  ArrayLayout input;
  ArrayLayout target{ElementType::int64, {}};

  // The target is the number of a class.
  bool has_class() const { return target == ArrayLayout{ElementType::int64, {}}; }
};

// Copies share the memory.
struct Minibatch {
  std::shared_ptr<const SampleLayout> layout;
  std::size_t count = 0;
  std::shared_ptr<std::byte> inputs;   // `count` times layout->input
  std::shared_ptr<std::byte> targets;  // `count` times layout->target

  std::size_t size() const { return count; }

  // The type must be that of the layout.
  const float* float_inputs() const { return reinterpret_cast<const float*>(inputs.get()); }
  const std::int64_t* int_inputs() const { return reinterpret_cast<const std::int64_t*>(inputs.get()); }
  const float* float_targets() const { return reinterpret_cast<const float*>(targets.get()); }
  const std::int64_t* int_targets() const { return reinterpret_cast<const std::int64_t*>(targets.get()); }
};

}  // namespace fulcrum::workloads

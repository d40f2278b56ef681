#pragma once
// Networks 256-128-64-1 with ReLU, the members of an ensemble side by side in the same tensors, trained by
// AdamW on the CPU. Equal but for where their weights begin.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fulcrum::networks {

// Row by row.
struct InputTable {
  std::size_t columns = 0;
  std::vector<float> values;

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

inline constexpr int kMembers = 3;

// Fits to one target a sample (inputs and targets about standardised), and predicts the points: of each
// member one value a point. One thread; the same seed gives the same values. Throws what LibTorch throws.
std::vector<std::vector<float>> train_and_predict(const InputTable& samples,
                                                  const std::vector<float>& targets, const InputTable& points,
                                                  std::uint64_t seed);

}  // namespace fulcrum::networks

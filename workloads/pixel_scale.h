#pragma once
// Pixels as a network takes them.

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/dataset_spec.h"

namespace fulcrum::workloads {

// (x / 255 - mean) / deviation for each byte x.
using PixelValues = std::array<float, 256>;

inline PixelValues scaled_pixels(float mean, float deviation) {
  PixelValues values{};
  for (std::size_t pixel = 0; pixel < values.size(); ++pixel) {
    values[pixel] = (static_cast<float>(pixel) / 255.0F - mean) / deviation;
  }
  return values;
}

inline PixelValues scaled_pixels(const PixelScale& scale, std::size_t channel) {
  return scaled_pixels(static_cast<float>(scale.mean[channel]), static_cast<float>(scale.deviation[channel]));
}

}  // namespace fulcrum::workloads

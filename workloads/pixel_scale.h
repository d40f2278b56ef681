#pragma once
// Pixels as a network takes them.

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace fulcrum::workloads

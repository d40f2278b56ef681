#pragma once
// JPEG and PNG files, written by tests and benchmarks.

#include <cstdint>
#include <string>
#include <vector>

namespace fulcrum::test {

struct TestImage {
  int rows = 0;
  int columns = 0;
  int channels = 3;                  // 1 or 3
  std::vector<std::uint8_t> pixels;  // [rows, columns, channels]
};

// Every pixel the same.
TestImage plain_image(int rows, int columns, const std::vector<std::uint8_t>& pixel);

std::string jpeg_bytes(const TestImage& image, int quality = 95, bool progressive = false);
std::string png_bytes(const TestImage& image);

}  // namespace fulcrum::test

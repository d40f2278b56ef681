#pragma once
// JPEG and PNG files to pixels. The files are untrusted: sizes are limited before memory is asked for, and a
// damaged file is an error, never a picture that is grey from the middle on.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace fulcrum::workloads {

struct ImageSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

struct Pixels {
  ImageSize size;
  int channels = 0;
  std::vector<std::uint8_t> bytes;  // [rows, columns, channels]; may be longer
  ImageSize original;               // of the image in the file
};

inline constexpr std::int64_t kMostImageSide = 20000;
inline constexpr std::int64_t kMostImagePixels = 50'000'000;

struct DecodeOptions {
  int channels = 3;  // 1: brightness; 3: red, green, blue. What is transparent becomes black.
  // What the pixels of an image of this size will be made smaller to. A JPEG is decoded at a half, a quarter
  // or an eighth of its size if that is still as large.
  std::function<ImageSize(ImageSize)> needed = [](ImageSize size) { return size; };
};

// Which of the two it is shows in its first bytes. `path` is for errors; memory of `into` is used again.
[[nodiscard]] Expected<void> decode_image(std::string_view file, const std::string& path,
                                          const DecodeOptions& options, Pixels& into);

// The parts of it.
[[nodiscard]] Expected<void> decode_jpeg(std::string_view file, const std::string& path,
                                         const DecodeOptions& options, Pixels& into);
[[nodiscard]] Expected<void> decode_png(std::string_view file, const std::string& path,
                                        const DecodeOptions& options, Pixels& into);
[[nodiscard]] Expected<void> check_image_size(ImageSize size, const std::string& path);

}  // namespace fulcrum::workloads

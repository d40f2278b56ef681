#include "tests/support/image_files.h"

#include <jpeglib.h>
#include <png.h>

#include <cstdio>  // which jpeglib.h needs and does not include
#include <cstdlib>
#include <stdexcept>

namespace fulcrum::test {

TestImage plain_image(int rows, int columns, const std::vector<std::uint8_t>& pixel) {
  TestImage image{rows, columns, static_cast<int>(pixel.size()), {}};
  for (int i = 0; i < rows * columns; ++i)
    image.pixels.insert(image.pixels.end(), pixel.begin(), pixel.end());
  return image;
}

// Errors of libjpeg end the program: the images are ours.
std::string jpeg_bytes(const TestImage& image, int quality, bool progressive) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = static_cast<JDIMENSION>(image.columns);
  info.image_height = static_cast<JDIMENSION>(image.rows);
  info.input_components = image.channels;
  info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    const std::size_t at =
        std::size_t{info.next_scanline} * static_cast<std::size_t>(image.columns * image.channels);
    JSAMPROW row = const_cast<JSAMPROW>(image.pixels.data() + at);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(buffer), size);
  jpeg_destroy_compress(&info);
  std::free(buffer);
  return bytes;
}

std::string png_bytes(const TestImage& image) {
  png_image info{};
  info.version = PNG_IMAGE_VERSION;
  info.width = static_cast<png_uint_32>(image.columns);
  info.height = static_cast<png_uint_32>(image.rows);
  info.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(info);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&info, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) == 0) {
    throw std::runtime_error("png_image_write_to_memory failed");
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace fulcrum::test

#include "workloads/image_decoder.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>

namespace fulcrum::workloads {

namespace {

constexpr std::string_view kJpegStart = "\xff\xd8\xff";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";

// Frees what libpng has allocated, however reading ends.
struct PngReader {
  png_image image{};

  PngReader() { image.version = PNG_IMAGE_VERSION; }
  ~PngReader() { png_image_free(&image); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

Unexpected broken_png(const std::string& path, const png_image& image) {
  return fail(ErrorCode::corrupt, fmt::format("'{}' cannot be decoded as PNG: {}", path, image.message));
}

}  // namespace

Expected<void> check_image_size(ImageSize size, const std::string& path) {
  if (std::max(size.rows, size.columns) <= kMostImageSide && size.rows * size.columns <= kMostImagePixels) {
    return {};
  }
  return fail(ErrorCode::limit_exceeded,
              fmt::format("'{}' has {} x {} pixels; {} a side and {} in all are allowed", path, size.columns,
                          size.rows, kMostImageSide, kMostImagePixels),
              "make it smaller");
}

Expected<void> decode_png(std::string_view file, const std::string& path, const DecodeOptions& options,
                          Pixels& into) {
  PngReader reader;
  png_image& image = reader.image;
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return broken_png(path, image);
  into.size = {image.height, image.width};
  into.original = into.size;
  into.channels = options.channels;
  FULCRUM_TRY(check_image_size(into.size, path));
  image.format = options.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  into.bytes.resize(std::max(into.bytes.size(), std::size_t{PNG_IMAGE_SIZE(image)}));
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&image, &black, into.bytes.data(), 0, nullptr) == 0)
    return broken_png(path, image);
  return {};
}

Expected<void> decode_image(std::string_view file, const std::string& path, const DecodeOptions& options,
                            Pixels& into) {
  if (file.substr(0, kJpegStart.size()) == kJpegStart) return decode_jpeg(file, path, options, into);
  if (file.substr(0, kPngStart.size()) == kPngStart) return decode_png(file, path, options, into);
  return fail(ErrorCode::corrupt,
              fmt::format("'{}' is neither JPEG nor PNG{}", path, file.empty() ? ": it is empty" : ""));
}

}  // namespace fulcrum::workloads

// An image file, decoded whole and small, with one channel and with three.

#include "tests/fuzz/promise.h"
#include "workloads/image_decoder.h"

namespace {

using namespace fulcrum;
using namespace fulcrum::workloads;
using fuzz::promise;

void check(std::string_view file, int channels, bool small) {
  DecodeOptions options;
  options.channels = channels;
  if (small) options.needed = [](ImageSize) { return ImageSize{1, 1}; };
  Pixels pixels;
  const auto decoded = decode_image(file, "a.img", options, pixels);
  if (!decoded) return fuzz::promise_reason(decoded.error());
  promise(pixels.channels == channels, "there are the channels asked for");
  promise(pixels.size.rows > 0 && pixels.size.columns > 0, "an image is not empty");
  promise(pixels.size.rows <= pixels.original.rows && pixels.size.columns <= pixels.original.columns,
          "an image is not made larger");
  promise(pixels.original.rows * pixels.original.columns <= kMostImagePixels, "an image is not too large");
  promise(pixels.bytes.size() >= static_cast<std::size_t>(pixels.size.rows * pixels.size.columns * channels),
          "an image has its pixels");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file = fuzz::as_text(data, size);
  for (const int channels : {1, 3}) {
    for (const bool small : {false, true})
      check(file, channels, small);
  }
  return 0;
}

// JPEG through libjpeg-turbo, which reports errors by a function that must not return: here by a longjmp to
// attempt(), over frames of libjpeg and of lambdas that own nothing.

#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs and does not include

#include "workloads/image_decoder.h"

namespace fulcrum::workloads {

namespace {

// A progressive image of a few kilobytes can have thousands of scans, each as much work as the whole image.
constexpr int kMostScans = 500;

struct JpegErrors {
  jpeg_error_mgr manager{};  // first, so that libjpeg's pointer to it is one to this
  std::jmp_buf way_out{};
  char message[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void leave_jpeg(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->manager.format_message(info, errors->message);
  std::longjmp(errors->way_out, 1);
}

// libjpeg warns of damaged data and goes on with grey. These warnings alone are about nothing that shows.
void on_jpeg_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level >= 0 || code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR)
    return;
  leave_jpeg(info);
}

void on_jpeg_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(errors->message, sizeof errors->message, "it has more than %d scans", kMostScans);
  std::longjmp(errors->way_out, 1);
}

class JpegReader {
 public:
  JpegReader() {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = leave_jpeg;
    errors_.manager.emit_message = on_jpeg_message;
    progress_.progress_monitor = on_jpeg_progress;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct& info() { return info_; }
  const char* message() const { return errors_.message; }

  bool read_header(std::string_view file) {
    return attempt([&] {
      jpeg_create_decompress(&info_);
      info_.progress = &progress_;
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
      jpeg_read_header(&info_, TRUE);
    });
  }

  // Sizes of the output follow.
  bool choose(int channels, unsigned eighths) {
    return attempt([&] {
      info_.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
      info_.scale_num = eighths;
      info_.scale_denom = 8;
      jpeg_calc_output_dimensions(&info_);
    });
  }

  bool read_pixels(std::uint8_t* into) {
    return attempt([&] {
      jpeg_start_decompress(&info_);
      const std::size_t stride =
          std::size_t{info_.output_width} * static_cast<std::size_t>(info_.output_components);
      while (info_.output_scanline < info_.output_height) {
        JSAMPROW row = into + info_.output_scanline * stride;
        jpeg_read_scanlines(&info_, &row, 1);
      }
      jpeg_finish_decompress(&info_);
    });
  }

 private:
  template <class Step>
  bool attempt(const Step& step) {
    if (setjmp(errors_.way_out) != 0) return false;
    step();
    return true;
  }

  jpeg_decompress_struct info_{};
  JpegErrors errors_;
  jpeg_progress_mgr progress_{};
};

Unexpected broken_jpeg(const std::string& path, const JpegReader& reader) {
  return fail(ErrorCode::corrupt, fmt::format("'{}' cannot be decoded as JPEG: {}", path, reader.message()));
}

// The smallest of 1, 2, 4 and 8 eighths of `size` that is still as large as `needed`.
unsigned eighths_for(ImageSize size, ImageSize needed) {
  for (const unsigned eighths : {1U, 2U, 4U}) {
    if (size.rows * eighths >= needed.rows * 8 && size.columns * eighths >= needed.columns * 8)
      return eighths;
  }
  return 8;
}

}  // namespace

Expected<void> decode_jpeg(std::string_view file, const std::string& path, const DecodeOptions& options,
                           Pixels& into) {
  JpegReader reader;
  if (!reader.read_header(file)) return broken_jpeg(path, reader);
  const auto& info = reader.info();
  into.original = {info.image_height, info.image_width};
  FULCRUM_TRY(check_image_size(into.original, path));
  if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK) {
    return fail(ErrorCode::unsupported, fmt::format("'{}' is a JPEG in CMYK", path), "convert it to RGB");
  }
  if (!reader.choose(options.channels, eighths_for(into.original, options.needed(into.original)))) {
    return broken_jpeg(path, reader);
  }
  into.size = {info.output_height, info.output_width};
  into.channels = options.channels;
  const auto bytes = static_cast<std::size_t>(into.size.rows * into.size.columns * into.channels);
  if (into.bytes.size() < bytes) into.bytes.resize(bytes);
  if (!reader.read_pixels(into.bytes.data())) return broken_jpeg(path, reader);
  return {};
}

}  // namespace fulcrum::workloads

#include "tests/support/tiny_dataset.h"

#include <zlib.h>

#include <random>
#include <stdexcept>

#include "tests/support/temp_dir.h"

namespace fulcrum::test {

std::string be32(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0})
    bytes += static_cast<char>((value >> shift) & 0xff);
  return bytes;
}

std::string idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                       const std::string& pixels) {
  return be32(0x00000803) + be32(count) + be32(rows) + be32(columns) + pixels;
}

std::string idx_labels(std::uint32_t count, const std::string& labels) {
  return be32(0x00000801) + be32(count) + labels;
}

std::string gzipped(const std::string& bytes) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

DatasetSpec write_tiny_dataset(const std::string& directory, const std::string& prefix, std::uint32_t count,
                               int classes, std::uint64_t seed) {
  constexpr std::uint32_t kSide = 28;
  std::mt19937_64 random(seed);
  std::string pixels;
  std::string labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(classes));
    labels += static_cast<char>(label);
    for (std::uint32_t row = 0; row < kSide; ++row) {
      for (std::uint32_t column = 0; column < kSide; ++column) {
        const std::uint64_t noise = random() % 64;
        const bool bar = row / 2 == label + 1;
        pixels += static_cast<char>(bar ? 160 + noise : noise);
      }
    }
  }
  const std::string base = directory + "/" + prefix;
  const IdxFiles files{base + "-images.gz", base + "-labels.gz"};
  spill(files.images, gzipped(idx_images(count, kSide, kSide, pixels)));
  spill(files.labels, gzipped(idx_labels(count, labels)));
  return {files};
}

}  // namespace fulcrum::test

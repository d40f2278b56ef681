#pragma once
// Reader of idx files, the format of the MNIST family, gzipped or not: a big-endian header (magic 0x00000803
// for images, 0x00000801 for labels, then one 32-bit count per dimension) and the unsigned bytes. The file is
// untrusted: nothing is allocated on a header's word alone.

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"

namespace fulcrum::workloads {

// What a file must be, by its number of dimensions.
enum class IdxKind : std::uint8_t { labels = 1, images = 3 };

struct IdxHeader {
  std::vector<std::uint32_t> dims;  // labels: {n}; images: {n, rows, columns}; none is 0

  std::uint64_t byte_count() const;  // of the data after the header
};

struct IdxArray {
  IdxHeader header;
  std::vector<std::uint8_t> bytes;
};

// More than any data set of the MNIST family, less than a board's memory.
inline constexpr std::uint64_t kIdxMaxBytes = std::uint64_t{4} << 30;

// The header, checked against what a file of that size can hold.
[[nodiscard]] Expected<IdxHeader> read_idx_header(const std::string& path, IdxKind kind,
                                                  std::uint64_t max_bytes = kIdxMaxBytes);

// The whole file: exactly the bytes that its header promises, and a gzip checksum that fits.
[[nodiscard]] Expected<IdxArray> read_idx(const std::string& path, IdxKind kind,
                                          std::uint64_t max_bytes = kIdxMaxBytes);

}  // namespace fulcrum::workloads

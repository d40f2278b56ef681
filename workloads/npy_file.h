#pragma once
// The header of NumPy's .npy files, versions 1 to 3 (numpy.lib.format). The file is untrusted: what the
// header says is held against the size of the file.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace fulcrum::workloads {

// Of an element: little-endian in the file.
enum class NpyType : std::uint8_t { b1, i1, u1, i2, u2, i4, u4, i8, f4, f8 };

std::size_t bytes_of(NpyType type);
bool is_floating(NpyType type);

struct NpyHeader {
  NpyType type = NpyType::f4;
  std::vector<std::int64_t> shape;  // one dimension at least, none is 0
  std::size_t data_offset = 0;      // of the elements in the file, the last dimension running fastest

  std::size_t elements() const;
};

// So many bytes of a file are enough for its header.
inline constexpr std::size_t kNpyMostHeaderBytes = 12 + 65535;

// `bytes` are the first of a file of `file_bytes` bytes, called `path` in errors.
[[nodiscard]] Expected<NpyHeader> parse_npy_header(std::string_view bytes, std::uint64_t file_bytes,
                                                   const std::string& path);

}  // namespace fulcrum::workloads

#pragma once
// .npy files, whole ones and broken ones, written by the tests.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fulcrum::test {

// A header as numpy writes it: `dictionary` padded with blanks, so that the elements begin at a multiple
// of 64.
inline std::string npy_header(const std::string& dictionary, int major = 1) {
  const std::size_t prefix = major == 1 ? 10 : 12;
  std::string text = dictionary;
  while ((prefix + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (std::size_t i = 0; i < (major == 1 ? 2U : 4U); ++i)
    bytes += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  return bytes + text;
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

// As they lie in memory, which is little-endian wherever this runs.
template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::string npy(const std::string& descr, const std::string& shape, const std::vector<T>& values) {
  return npy_header(npy_dictionary(descr, shape)) + raw_bytes(values);
}

}  // namespace fulcrum::test

#include "workloads/npy_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace fulcrum::workloads {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kNpyVersionBytes = 2;
constexpr std::size_t kNpyMostDims = 8;

struct NamedNpyType {
  std::string_view descr;
  NpyType type;
  std::size_t bytes;
};
constexpr std::array<NamedNpyType, 10> kNpyTypes{{{"|b1", NpyType::b1, 1},
                                                  {"|i1", NpyType::i1, 1},
                                                  {"|u1", NpyType::u1, 1},
                                                  {"<i2", NpyType::i2, 2},
                                                  {"<u2", NpyType::u2, 2},
                                                  {"<i4", NpyType::i4, 4},
                                                  {"<u4", NpyType::u4, 4},
                                                  {"<i8", NpyType::i8, 8},
                                                  {"<f4", NpyType::f4, 4},
                                                  {"<f8", NpyType::f8, 8}}};

// What the header's dictionary says.
struct NpyDictionary {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

// Reads the one kind of Python literal that numpy writes:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }
class NpyDictionaryParser {
 public:
  explicit NpyDictionaryParser(std::string_view text) : text_(text) {}

  // Nothing if it is anything else.
  std::optional<NpyDictionary> parse() {
    NpyDictionary dictionary;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = quoted();
      if (!key || !take(':') || !value_of(*key, dictionary)) return std::nullopt;
      if (!take(',') && !next_is('}')) return std::nullopt;
    }
    skip_blanks();
    if (!text_.empty()) return std::nullopt;
    return dictionary;
  }

 private:
  void skip_blanks() {
    const auto first = text_.find_first_not_of(" \n");
    text_.remove_prefix(first == std::string_view::npos ? text_.size() : first);
  }
  bool next_is(char c) {
    skip_blanks();
    return !text_.empty() && text_.front() == c;
  }
  bool take(char c) {
    if (!next_is(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> quoted() {
    const char quote = next_is('"') ? '"' : '\'';
    if (!take(quote)) return std::nullopt;
    const auto end = text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }

  std::optional<bool> truth() {
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    return std::nullopt;
  }

  std::optional<std::vector<std::int64_t>> numbers() {
    if (!take('(')) return std::nullopt;
    std::vector<std::int64_t> all;
    while (!take(')')) {
      skip_blanks();
      std::int64_t number = 0;
      const auto result = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      if (result.ec != std::errc() || number < 0) return std::nullopt;
      text_.remove_prefix(static_cast<std::size_t>(result.ptr - text_.data()));
      all.push_back(number);
      if (!take(',') && (!next_is(')') || all.size() == 1))
        return std::nullopt;  // a tuple of one has a comma
    }
    return all;
  }

  bool value_of(const std::string& key, NpyDictionary& dictionary) {
    if (key == "descr" && !dictionary.descr) return (dictionary.descr = quoted()).has_value();
    if (key == "fortran_order" && !dictionary.fortran_order)
      return (dictionary.fortran_order = truth()).has_value();
    if (key == "shape" && !dictionary.shape) return (dictionary.shape = numbers()).has_value();
    return false;
  }

  std::string_view text_;
};

Unexpected malformed_npy(const std::string& path, const std::string& what, std::string hint = {}) {
  return fail(ErrorCode::corrupt, fmt::format("'{}' {}", path, what), std::move(hint));
}

struct NpyText {
  std::string_view dictionary;
  std::size_t data_offset;
};

Expected<NpyText> text_of_header(std::string_view bytes, const std::string& path) {
  if (bytes.substr(0, kNpyMagic.size()) != kNpyMagic) {
    return malformed_npy(path, "is not an .npy file: it does not begin with \\x93NUMPY");
  }
  std::size_t at = kNpyMagic.size();
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[i]));
  };
  if (bytes.size() < at + kNpyVersionBytes) return malformed_npy(path, "is cut off in its header");
  const std::size_t major = byte(at);
  if (major < 1 || major > 3 || byte(at + 1) != 0) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' has .npy version {}.{}; 1.0, 2.0 and 3.0 are supported", path, major,
                            byte(at + 1)));
  }
  at += kNpyVersionBytes;
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < at + length_bytes) return malformed_npy(path, "is cut off in its header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= byte(at + i) << (8 * i);
  at += length_bytes;
  if (at + length > kNpyMostHeaderBytes) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("'{}' has a header of {} bytes, more than the {} allowed", path, length,
                            kNpyMostHeaderBytes - at));
  }
  if (bytes.size() < at + length) return malformed_npy(path, "is cut off in its header");
  return NpyText{bytes.substr(at, length), at + length};
}

Expected<NpyType> type_of(const std::string& descr, const std::string& path) {
  std::vector<std::string_view> names;
  for (const auto& named : kNpyTypes) {
    if (named.descr == descr) return named.type;
    names.push_back(named.descr);
  }
  return fail(
      ErrorCode::unsupported,
      fmt::format("'{}' holds elements of dtype '{}'; supported are {}", path, descr, fmt::join(names, ", ")),
      "convert it in Python: numpy.save(path, array.astype('<f4'))");
}

Expected<void> check_npy_shape(const NpyHeader& header, std::uint64_t file_bytes, const std::string& path) {
  const std::string shape = fmt::format("({})", fmt::join(header.shape, ", "));
  if (header.shape.empty() || header.shape.size() > kNpyMostDims) {
    return malformed_npy(path,
                         fmt::format("has shape {}; 1 to {} dimensions are needed", shape, kNpyMostDims));
  }
  const std::uint64_t room = (file_bytes - header.data_offset) / bytes_of(header.type);
  std::uint64_t elements = 1;
  for (const auto dim : header.shape) {
    if (dim == 0) return malformed_npy(path, fmt::format("holds nothing: its shape is {}", shape));
    if (static_cast<std::uint64_t>(dim) > room / elements) {
      return malformed_npy(path,
                           fmt::format("is cut off: it has room for {} elements, but shape {}", room, shape));
    }
    elements *= static_cast<std::uint64_t>(dim);
  }
  if (header.data_offset + elements * bytes_of(header.type) != file_bytes) {
    return malformed_npy(path, fmt::format("goes on after the elements of its shape, {}", shape));
  }
  return {};
}

}  // namespace

std::size_t bytes_of(NpyType type) {
  for (const auto& named : kNpyTypes) {
    if (named.type == type) return named.bytes;
  }
  return 0;
}

bool is_floating(NpyType type) {
  return type == NpyType::f4 || type == NpyType::f8;
}

std::size_t NpyHeader::elements() const {
  std::size_t product = 1;
  for (const auto dim : shape)
    product *= static_cast<std::size_t>(dim);
  return product;
}

Expected<NpyHeader> parse_npy_header(std::string_view bytes, std::uint64_t file_bytes,
                                     const std::string& path) {
  FULCRUM_TRY_ASSIGN(text, text_of_header(bytes, path));
  const auto dictionary = NpyDictionaryParser(text.dictionary).parse();
  if (!dictionary || !dictionary->descr || !dictionary->fortran_order || !dictionary->shape) {
    return malformed_npy(path, "has an .npy header that is not descr, fortran_order and shape",
                         "arrays of records and of Python objects are not supported");
  }
  if (*dictionary->fortran_order) {
    return fail(ErrorCode::unsupported, fmt::format("'{}' is in Fortran's order", path),
                "convert it in Python: numpy.save(path, numpy.ascontiguousarray(array))");
  }
  NpyHeader header;
  FULCRUM_TRY_ASSIGN(type, type_of(*dictionary->descr, path));
  header.type = type;
  header.shape = *dictionary->shape;
  header.data_offset = text.data_offset;
  FULCRUM_TRY(check_npy_shape(header, file_bytes, path));
  return header;
}

}  // namespace fulcrum::workloads

#include "workloads/idx_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "workloads/open_file.h"

namespace fulcrum::workloads {

namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kDimBytes = 4;
constexpr std::uint8_t kUnsignedByte = 0x08;
// Deflate's best: 258 bytes from 2 bits, so that a header which promises more than this factor must lie.
constexpr std::uint64_t kMostInflation = 1032;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

const char* name_of(IdxKind kind) {
  return kind == IdxKind::images ? "images" : "labels";
}

Unexpected malformed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::corrupt, fmt::format("'{}' {}", path, what));
}

// Bytes of a file, inflated if it is gzipped.
class InflatedFile {
 public:
  static Expected<InflatedFile> open(const std::string& path) {
    FULCRUM_TRY_ASSIGN(file, open_regular_file(path));
    gzFile stream = ::gzdopen(file.fd.get(), "rb");
    if (stream == nullptr) return fail(ErrorCode::io, fmt::format("opening '{}': out of memory", path));
    file.fd.release();  // the stream has it now
    ::gzbuffer(stream, 1U << 17);
    return InflatedFile(path, stream, file.bytes);
  }

  // Up to `count` bytes; fewer only at the end.
  Expected<std::size_t> read(std::uint8_t* into, std::size_t count) {
    const int n = ::gzread(stream_.get(), into, static_cast<unsigned>(count));
    int error = Z_OK;
    const char* text = ::gzerror(stream_.get(), &error);
    if (error == Z_BUF_ERROR) {  // the compressed stream stops in the middle
      return malformed(path_, "is cut off in the middle of its gzip data");
    }
    if (error == Z_ERRNO) return fail_errno(errno, fmt::format("reading '{}'", path_));
    if (n < 0 || error != Z_OK) return malformed(path_, fmt::format("has damaged gzip data ({})", text));
    return static_cast<std::size_t>(n);
  }

  // The most bytes that a file of this size can inflate to. Valid once something was read.
  std::uint64_t most_bytes() const {
    return ::gzdirect(stream_.get()) != 0 ? file_bytes_ : file_bytes_ * kMostInflation;
  }

 private:
  struct Close {
    void operator()(gzFile_s* stream) const { ::gzclose_r(stream); }
  };

  InflatedFile(std::string path, gzFile stream, std::uint64_t file_bytes)
      : path_(std::move(path)), stream_(stream), file_bytes_(file_bytes) {}

  std::string path_;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::uint64_t file_bytes_;
};

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) | (std::uint32_t{bytes[2]} << 8) |
         std::uint32_t{bytes[3]};
}

Expected<void> check_magic(const std::string& path, const std::uint8_t* magic, IdxKind kind) {
  const auto text = fmt::format("{:02x}{:02x}{:02x}{:02x}", magic[0], magic[1], magic[2], magic[3]);
  if (magic[0] != 0 || magic[1] != 0)
    return malformed(path, fmt::format("is not an idx file: it begins with {}", text));
  if (magic[2] != kUnsignedByte) {
    return malformed(
        path, fmt::format("holds elements of type {:#04x}; unsigned bytes (0x08) are needed", magic[2]));
  }
  if (magic[3] != static_cast<std::uint8_t>(kind)) {
    return fail(ErrorCode::corrupt,
                fmt::format("'{}' has {} dimensions (magic {}), but {} have {}", path, magic[3], text,
                            name_of(kind), static_cast<int>(kind)),
                "are the images and labels swapped?");
  }
  return {};
}

// n * rows * columns, if it is not above max_bytes.
Expected<void> check_counts(const std::string& path, const IdxHeader& header, IdxKind kind,
                            std::uint64_t max_bytes) {
  std::uint64_t product = 1;
  for (const std::uint32_t dim : header.dims) {
    if (dim == 0) {
      return malformed(path, fmt::format("holds no {}: its dimensions are {}", name_of(kind),
                                         fmt::join(header.dims, " x ")));
    }
    product *= dim;  // below 2^64: both factors are below 2^32, or max_bytes stopped us
    if (product > max_bytes) {
      return fail(ErrorCode::limit_exceeded, fmt::format("'{}' promises {} bytes, more than the {} allowed",
                                                         path, fmt::join(header.dims, " x "), max_bytes));
    }
  }
  return {};
}

Expected<IdxHeader> read_header(InflatedFile& file, const std::string& path, IdxKind kind,
                                std::uint64_t max_bytes) {
  const auto rank = static_cast<std::size_t>(kind);
  std::array<std::uint8_t, kMagicBytes + 3 * kDimBytes> bytes{};
  FULCRUM_TRY_ASSIGN(magic_read, file.read(bytes.data(), kMagicBytes));
  if (magic_read < kMagicBytes)
    return malformed(path, fmt::format("is cut off: {} bytes, no idx header", magic_read));
  FULCRUM_TRY(check_magic(path, bytes.data(), kind));
  FULCRUM_TRY_ASSIGN(dims_read, file.read(bytes.data() + kMagicBytes, rank * kDimBytes));
  if (dims_read < rank * kDimBytes) return malformed(path, "is cut off in the middle of its idx header");

  IdxHeader header;
  for (std::size_t i = 0; i < rank; ++i) {
    header.dims.push_back(big_endian(bytes.data() + kMagicBytes + i * kDimBytes));
  }
  FULCRUM_TRY(check_counts(path, header, kind, max_bytes));
  const std::uint64_t header_bytes = kMagicBytes + rank * kDimBytes;
  if (header.byte_count() + header_bytes > file.most_bytes()) {
    return malformed(
        path, fmt::format("is cut off: its header promises {} bytes, more than a file of this size holds",
                          header.byte_count()));
  }
  return header;
}

}  // namespace

std::uint64_t IdxHeader::byte_count() const {
  std::uint64_t product = 1;
  for (const std::uint32_t dim : dims)
    product *= dim;
  return product;
}

Expected<IdxHeader> read_idx_header(const std::string& path, IdxKind kind, std::uint64_t max_bytes) {
  FULCRUM_TRY_ASSIGN(file, InflatedFile::open(path));
  return read_header(file, path, kind, max_bytes);
}

Expected<IdxArray> read_idx(const std::string& path, IdxKind kind, std::uint64_t max_bytes) {
  FULCRUM_TRY_ASSIGN(file, InflatedFile::open(path));
  IdxArray array;
  FULCRUM_TRY_ASSIGN(header, read_header(file, path, kind, max_bytes));
  array.header = std::move(header);

  const std::uint64_t promised = array.header.byte_count();
  while (array.bytes.size() < promised) {
    const std::size_t have = array.bytes.size();
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, promised - have));
    array.bytes.resize(have + want);
    FULCRUM_TRY_ASSIGN(got, file.read(array.bytes.data() + have, want));
    if (got < want) {
      return malformed(
          path, fmt::format("is cut off: {} of the {} bytes its header promises", have + got, promised));
    }
  }
  std::uint8_t beyond = 0;
  FULCRUM_TRY_ASSIGN(extra, file.read(&beyond, 1));  // also has the gzip checksum verified
  if (extra != 0)
    return malformed(path, fmt::format("goes on after the {} bytes its header promises", promised));
  array.bytes.shrink_to_fit();
  return array;
}

}  // namespace fulcrum::workloads

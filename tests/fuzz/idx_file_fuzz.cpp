// A data set's file, taken for images and for labels, gzipped or not.

#include "tests/fuzz/promise.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_dataset.h"
#include "workloads/idx_file.h"

namespace {

using namespace fulcrum;
using namespace fulcrum::workloads;
using fuzz::promise;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

bool same(const IdxArray& a, const IdxArray& b) {
  return a.header.dims == b.header.dims && a.bytes == b.bytes;
}

// What an array is read from: the header, then the bytes.
std::string printed(const IdxArray& array, IdxKind kind) {
  std::string text = test::be32(kind == IdxKind::images ? 0x00000803 : 0x00000801);
  for (const auto dim : array.header.dims)
    text += test::be32(dim);
  return text.append(array.bytes.begin(), array.bytes.end());
}

void check(const test::TempDir& directory, const std::string& path, IdxKind kind) {
  const auto array = read_idx(path, kind, kMaxBytes);
  if (!array) return fuzz::promise_reason(array.error());
  promise(array->header.dims.size() == static_cast<std::size_t>(kind),
          "the dimensions are those of the kind");
  promise(!array->bytes.empty() && array->bytes.size() <= kMaxBytes, "an array is not empty, nor too large");
  promise(array->bytes.size() == array->header.byte_count(), "an array has the bytes its header promises");
  const auto header = read_idx_header(path, kind, kMaxBytes);
  promise(header && header->dims == array->header.dims, "the header alone says the same");

  const std::string text = printed(*array, kind);
  for (const auto& bytes : {text, test::gzipped(text)}) {
    test::spill(directory / "again", bytes);
    const auto again = read_idx(directory / "again", kind, kMaxBytes);
    promise(again && same(*again, *array), "an array survives its file, gzipped or not");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const test::TempDir directory;
  const std::string path = directory / "file";
  test::spill(path, std::string(fuzz::as_text(data, size)));
  check(directory, path, IdxKind::images);
  check(directory, path, IdxKind::labels);
  return 0;
}

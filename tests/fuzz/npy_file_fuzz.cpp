// The header of an .npy file.

#include <algorithm>

#include "tests/fuzz/promise.h"
#include "tests/support/npy_bytes.h"
#include "workloads/npy_file.h"

namespace {

using namespace fulcrum;
using namespace fulcrum::workloads;
using fuzz::promise;

std::string printed(const NpyHeader& header, const std::string& descr) {
  std::string shape;
  for (const auto dim : header.shape)
    shape += std::to_string(dim) + ",";
  return test::npy_header(test::npy_dictionary(descr, "(" + shape + ")"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file = fuzz::as_text(data, size);
  const auto header = parse_npy_header(file, file.size(), "a.npy");
  if (!header) {
    fuzz::promise_reason(header.error());
    return 0;
  }
  promise(!header->shape.empty(), "an array has dimensions");
  promise(std::all_of(header->shape.begin(), header->shape.end(), [](auto dim) { return dim > 0; }),
          "no dimension is 0");
  const std::size_t bytes = header->elements() * bytes_of(header->type);
  promise(header->data_offset + bytes == size, "the elements are all that follows the header");

  const char* descrs[] = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<f4", "<f8"};
  const std::string again = printed(*header, descrs[static_cast<std::size_t>(header->type)]) +
                            std::string(file.substr(header->data_offset));
  const auto same = parse_npy_header(again, again.size(), "a.npy");
  promise(same && same->shape == header->shape && same->type == header->type,
          "a header survives being written");
  return 0;
}

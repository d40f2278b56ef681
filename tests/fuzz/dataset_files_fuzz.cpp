// A file taken for CIFAR-10, for a stream of tokens and for both arrays of an .npy pair, and read to its end.

#include <numeric>

#include "tests/fuzz/promise.h"
#include "tests/support/temp_dir.h"
#include "workloads/dataset.h"

namespace {

using namespace fulcrum;
using namespace fulcrum::workloads;
using fuzz::promise;

void check(const DatasetSpec& spec) {
  const auto info = check_dataset(spec);
  const auto dataset = load_dataset(spec, 10);
  if (!info) {
    promise(!info.error().empty(), "a data set that is refused has faults");
    for (const auto& fault : info.error()) {
      fuzz::promise_reason(fault);
      promise(!fault.field.empty() && fault.field.front() == '/', "a fault has its field");
    }
    promise(!dataset, "what is refused is not loaded");
    return;
  }
  if (!dataset) return fuzz::promise_reason(dataset.error());
  promise(info->size == (*dataset)->size() && *info->size > 0, "a data set has the size that was promised");
  promise((*dataset)->layout().input == info->layout.input, "samples are as was promised");
  for (std::size_t i = 0; i < *info->size; ++i) {
    const auto minibatch = (*dataset)->read({i});
    if (!minibatch) fuzz::promise_reason(minibatch.error());
    if (minibatch && info->layout.has_class()) {
      const auto c = minibatch->int_targets()[0];
      promise(c >= 0 && c < 10, "a class is below the number of classes");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const test::TempDir directory;
  const std::string path = directory / "file";
  test::spill(path, std::string(fuzz::as_text(data, size)));
  CifarFiles cifar;
  cifar.files = {path};
  check({cifar});
  check({NpyFiles{path, path}});
  for (const char* dtype : {"uint16", "int64"}) {
    TokenFile tokens;
    tokens.file = path;
    tokens.dtype = dtype;
    tokens.sequence_length = 16;
    tokens.vocabulary = 1000;
    check({tokens});
  }
  return 0;
}

#pragma once
// Samples with what a network shall say to them: what the loader, training and inference see of a data set,
// whatever its format.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/dataset_spec.h"
#include "common/error.h"
#include "workloads/batch_memory.h"
#include "workloads/minibatch.h"

namespace fulcrum::workloads {

struct ReadContext {
  // What is random about a sample, where its data set augments, follows from these and its index alone.
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  BatchMemory* memory = nullptr;  // null: the heap
};

// Immutable, and so readable from any number of threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::size_t size() const = 0;
  const SampleLayout& layout() const { return *layout_; }

  // The samples at these indices (each below size()), in this order.
  [[nodiscard]] Expected<Minibatch> read(const std::vector<std::size_t>& samples,
                                         const ReadContext& context = {}) const;

 protected:
  explicit Dataset(SampleLayout layout) : layout_(std::make_shared<const SampleLayout>(std::move(layout))) {}

  // Where the samples of a minibatch go, one after the other: inputs + i * layout().input.bytes(), and
  // likewise targets.
  struct Destination {
    std::byte* inputs;
    std::byte* targets;
  };

  // Every index is below size().
  [[nodiscard]] virtual Expected<void> fill(const std::vector<std::size_t>& samples,
                                            const ReadContext& context, const Destination& into) const = 0;

 private:
  std::shared_ptr<const SampleLayout> layout_;
};

struct DatasetInfo {
  std::optional<std::size_t> size;  // none for an image folder, which is counted when it is loaded
  SampleLayout layout;
};

// Cheap enough for a submission: the files open, their headers make sense and fit each other. All faults at
// once, each with its field (/images, /labels).
[[nodiscard]] tl::expected<DatasetInfo, std::vector<Error>> check_dataset(const DatasetSpec& spec);

// Ready to be read. Where targets are classes, each must be below num_classes, if that is given.
[[nodiscard]] Expected<std::shared_ptr<const Dataset>> load_dataset(const DatasetSpec& spec,
                                                                    std::optional<int> num_classes);

}  // namespace fulcrum::workloads

#pragma once
// Labelled samples, ready for a network: what the loader, training and inference see of a data set.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"

namespace fulcrum::workloads {

// Samples side by side: inputs[i * (inputs.size() / targets.size()) ...] is sample i.
struct Minibatch {
  std::vector<float> inputs;
  std::vector<std::int64_t> targets;  // class of each sample

  std::size_t size() const { return targets.size(); }
};

// Immutable, and so readable from any number of threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::size_t size() const = 0;
  virtual const std::vector<std::int64_t>& sample_shape() const = 0;  // {channels, rows, columns}

  // The samples at these indices (each below size()), in this order.
  [[nodiscard]] virtual Expected<Minibatch> read(const std::vector<std::size_t>& samples) const = 0;
};

struct DatasetInfo {
  std::size_t size = 0;
  std::vector<std::int64_t> sample_shape;
};

// Cheap enough for a submission: the files open, their headers make sense and fit each other. All faults at
// once, each with its field (/images, /labels).
[[nodiscard]] tl::expected<DatasetInfo, std::vector<Error>> check_dataset(const DatasetSpec& spec);

// The whole data set into memory. Pixels become (x / 255 - 0.5) / 0.5, from -1 to 1. Every label must be
// below num_classes.
[[nodiscard]] Expected<std::shared_ptr<const Dataset>> load_dataset(const DatasetSpec& spec, int num_classes);

}  // namespace fulcrum::workloads

#include "workloads/dataset.h"

#include <fmt/format.h>

#include <array>
#include <exception>

#include "workloads/idx_file.h"

namespace fulcrum::workloads {

namespace {

using PixelValues = std::array<float, 256>;

PixelValues normalised_pixels() {
  PixelValues values{};
  for (std::size_t pixel = 0; pixel < values.size(); ++pixel) {
    values[pixel] = (static_cast<float>(pixel) / 255.0F - 0.5F) / 0.5F;
  }
  return values;
}

// Images as bytes in memory; a quarter of the size that they have as floats.
class ImageDataset final : public Dataset {
 public:
  ImageDataset(IdxArray images, std::vector<std::uint8_t> labels)
      : pixels_(std::move(images.bytes)),
        labels_(std::move(labels)),
        shape_{1, images.header.dims[1], images.header.dims[2]},
        sample_pixels_(std::size_t{images.header.dims[1]} * images.header.dims[2]),
        values_(normalised_pixels()) {}

  std::size_t size() const override { return labels_.size(); }
  const std::vector<std::int64_t>& sample_shape() const override { return shape_; }

  Expected<Minibatch> read(const std::vector<std::size_t>& samples) const override {
    Minibatch minibatch;
    minibatch.inputs.resize(samples.size() * sample_pixels_);
    minibatch.targets.reserve(samples.size());
    float* out = minibatch.inputs.data();
    for (const std::size_t sample : samples) {
      if (sample >= size()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("sample {} of a data set of {}", sample, size()));
      }
      const std::uint8_t* in = pixels_.data() + sample * sample_pixels_;
      for (std::size_t i = 0; i < sample_pixels_; ++i)
        *out++ = values_[in[i]];
      minibatch.targets.push_back(labels_[sample]);
    }
    return minibatch;
  }

 private:
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> labels_;
  std::vector<std::int64_t> shape_;
  std::size_t sample_pixels_;
  PixelValues values_;
};

Unexpected counts_differ(const DatasetSpec& spec, std::uint32_t images, std::uint32_t labels) {
  auto error = fail(ErrorCode::corrupt, fmt::format("'{}' holds {} labels, but '{}' holds {} images",
                                                    spec.labels, labels, spec.images, images));
  error.value().field = "/labels";
  return error;
}

Expected<void> check_labels(const std::string& path, const std::vector<std::uint8_t>& labels,
                            int num_classes) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < num_classes) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}': label {} of sample {} is not below the model's num_classes, {}", path,
                            static_cast<int>(labels[i]), i, num_classes));
  }
  return {};
}

Unexpected at_field(Error error, const char* field) {
  error.field = field;
  return Unexpected(std::move(error));
}

}  // namespace

tl::expected<DatasetInfo, std::vector<Error>> check_dataset(const DatasetSpec& spec) {
  std::vector<Error> faults;
  auto images = read_idx_header(spec.images, IdxKind::images);
  auto labels = read_idx_header(spec.labels, IdxKind::labels);
  if (!images) faults.push_back(at_field(images.error(), "/images").value());
  if (!labels) faults.push_back(at_field(labels.error(), "/labels").value());
  if (images && labels && images->dims[0] != labels->dims[0]) {
    faults.push_back(counts_differ(spec, images->dims[0], labels->dims[0]).value());
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return DatasetInfo{images->dims[0], {1, images->dims[1], images->dims[2]}};
}

Expected<std::shared_ptr<const Dataset>> load_dataset(const DatasetSpec& spec, int num_classes) {
  try {
    auto images = read_idx(spec.images, IdxKind::images);
    if (!images) return at_field(std::move(images).error(), "/images");
    auto labels = read_idx(spec.labels, IdxKind::labels);
    if (!labels) return at_field(std::move(labels).error(), "/labels");
    if (images->header.dims[0] != labels->header.dims[0]) {
      return counts_differ(spec, images->header.dims[0], labels->header.dims[0]);
    }
    if (auto fit = check_labels(spec.labels, labels->bytes, num_classes); !fit) {
      return at_field(std::move(fit).error(), "/labels");
    }
    return std::make_shared<const ImageDataset>(std::move(*images), std::move(labels->bytes));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::limit_exceeded, fmt::format("'{}' does not fit into memory", spec.images));
  }
}

}  // namespace fulcrum::workloads

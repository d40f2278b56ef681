// Format "idx". Pixels become (x / 255 - 0.5) / 0.5, from -1 to 1.

#include <fmt/format.h>

#include "workloads/dataset_formats.h"
#include "workloads/idx_file.h"
#include "workloads/pixel_scale.h"

namespace fulcrum::workloads {

namespace {

SampleLayout layout_of(const IdxHeader& images) {
  SampleLayout layout;
  layout.input.shape = {1, images.dims[1], images.dims[2]};
  return layout;
}

// Images as bytes in memory; a quarter of the size that they have as floats.
class IdxDataset final : public Dataset {
 public:
  IdxDataset(IdxArray images, std::vector<std::uint8_t> labels)
      : Dataset(layout_of(images.header)),
        pixels_(std::move(images.bytes)),
        labels_(std::move(labels)),
        sample_pixels_(layout().input.elements()),
        values_(scaled_pixels(0.5F, 0.5F)) {}

  std::size_t size() const override { return labels_.size(); }

 private:
  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext&,
                      const Destination& into) const override {
    auto* input = reinterpret_cast<float*>(into.inputs);
    auto* target = reinterpret_cast<std::int64_t*>(into.targets);
    for (const std::size_t sample : samples) {
      const std::uint8_t* pixel = pixels_.data() + sample * sample_pixels_;
      for (std::size_t i = 0; i < sample_pixels_; ++i)
        *input++ = values_[pixel[i]];
      *target++ = labels_[sample];
    }
    return {};
  }

  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> labels_;
  std::size_t sample_pixels_;
  PixelValues values_;
};

Unexpected idx_counts_differ(const IdxFiles& spec, std::uint32_t images, std::uint32_t labels) {
  return at_field(fail(ErrorCode::corrupt, fmt::format("'{}' holds {} labels, but '{}' holds {} images",
                                                       spec.labels, labels, spec.images, images))
                      .value(),
                  "/labels");
}

}  // namespace

CheckedDataset check_format(const IdxFiles& spec) {
  std::vector<Error> faults;
  auto images = read_idx_header(spec.images, IdxKind::images);
  auto labels = read_idx_header(spec.labels, IdxKind::labels);
  if (!images) faults.push_back(at_field(images.error(), "/images").value());
  if (!labels) faults.push_back(at_field(labels.error(), "/labels").value());
  if (images && labels && images->dims[0] != labels->dims[0]) {
    faults.push_back(idx_counts_differ(spec, images->dims[0], labels->dims[0]).value());
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return DatasetInfo{images->dims[0], layout_of(*images)};
}

LoadedDataset load_format(const IdxFiles& spec, std::optional<int> num_classes) {
  auto images = read_idx(spec.images, IdxKind::images);
  if (!images) return at_field(std::move(images).error(), "/images");
  auto labels = read_idx(spec.labels, IdxKind::labels);
  if (!labels) return at_field(std::move(labels).error(), "/labels");
  if (images->header.dims[0] != labels->header.dims[0]) {
    return idx_counts_differ(spec, images->header.dims[0], labels->header.dims[0]);
  }
  for (std::size_t i = 0; i < labels->bytes.size(); ++i) {
    if (auto fit = check_label(spec.labels, labels->bytes[i], i, num_classes); !fit) {
      return at_field(std::move(fit).error(), "/labels");
    }
  }
  return std::make_shared<const IdxDataset>(std::move(*images), std::move(labels->bytes));
}

}  // namespace fulcrum::workloads

// Format "cifar10": records of 3,073 bytes, a class and 3 planes of 32 x 32 pixels.

#include <fmt/format.h>

#include <algorithm>

#include "workloads/dataset_formats.h"
#include "workloads/mapped_file.h"
#include "workloads/pixel_scale.h"

namespace fulcrum::workloads {

namespace {

constexpr std::size_t kCifarPlanes = 3;
constexpr std::size_t kCifarPlaneBytes = std::size_t{32} * 32;
constexpr std::size_t kCifarRecordBytes = 1 + kCifarPlanes * kCifarPlaneBytes;
constexpr int kCifarClasses = 10;

SampleLayout cifar_layout() {
  SampleLayout layout;
  layout.input.shape = {3, 32, 32};
  return layout;
}

std::string cifar_field(std::size_t file) {
  return fmt::format("/files/{}", file);
}

Expected<MappedFile> open_cifar(const std::string& path) {
  FULCRUM_TRY_ASSIGN(file, MappedFile::open(path));
  if (file.size() % kCifarRecordBytes == 0) return file;
  return fail(ErrorCode::corrupt,
              fmt::format("'{}' has {} bytes, which is no multiple of the {} of a CIFAR-10 record", path,
                          file.size(), kCifarRecordBytes),
              "the binary version of CIFAR-10 is needed, unpacked: data_batch_1.bin and so on");
}

class CifarDataset final : public Dataset {
 public:
  CifarDataset(std::vector<MappedFile> files, const PixelScale& scale)
      : Dataset(cifar_layout()), files_(std::move(files)) {
    for (const auto& file : files_)
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + file.size() / kCifarRecordBytes);
    for (std::size_t plane = 0; plane < kCifarPlanes; ++plane)
      values_[plane] = scaled_pixels(scale, plane);
  }

  std::size_t size() const override { return ends_.back(); }

  Expected<void> check_labels(std::optional<int> num_classes) const {
    for (std::size_t sample = 0; sample < size(); ++sample) {
      const std::size_t file = file_of(sample);
      std::int64_t label = 0;
      FULCRUM_TRY(files_[file].read([&](const std::byte* bytes) {
        label = std::to_integer<std::int64_t>(bytes[record_of(sample, file) * kCifarRecordBytes]);
      }));
      const int classes = num_classes ? std::min(*num_classes, kCifarClasses) : kCifarClasses;
      if (label < classes) continue;
      return at_field(fail(ErrorCode::invalid_argument,
                           fmt::format("'{}': label {} of record {} is not below {}", files_[file].path(),
                                       label, record_of(sample, file), classes),
                           label < kCifarClasses ? "set the model's num_classes"
                                                 : "is it the binary version of CIFAR-10?")
                          .value(),
                      cifar_field(file));
    }
    return {};
  }

 private:
  std::size_t file_of(std::size_t sample) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), sample) - ends_.begin());
  }
  std::size_t record_of(std::size_t sample, std::size_t file) const {
    return file == 0 ? sample : sample - ends_[file - 1];
  }

  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext&,
                      const Destination& into) const override {
    auto* input = reinterpret_cast<float*>(into.inputs);
    auto* target = reinterpret_cast<std::int64_t*>(into.targets);
    for (const std::size_t sample : samples) {
      const std::size_t file = file_of(sample);
      const std::size_t at = record_of(sample, file) * kCifarRecordBytes;
      FULCRUM_TRY(files_[file].read([&](const std::byte* bytes) {
        const auto* record = reinterpret_cast<const std::uint8_t*>(bytes + at);
        *target = record[0];
        for (std::size_t plane = 0; plane < kCifarPlanes; ++plane) {
          const std::uint8_t* pixel = record + 1 + plane * kCifarPlaneBytes;
          float* out = input + plane * kCifarPlaneBytes;
          for (std::size_t i = 0; i < kCifarPlaneBytes; ++i)
            out[i] = values_[plane][pixel[i]];
        }
      }));
      input += kCifarPlanes * kCifarPlaneBytes;
      ++target;
    }
    return {};
  }

  std::vector<MappedFile> files_;
  std::vector<std::size_t> ends_;  // of each file, in samples
  std::array<PixelValues, kCifarPlanes> values_{};
};

}  // namespace

CheckedDataset check_format(const CifarFiles& spec) {
  std::vector<Error> faults;
  std::size_t records = 0;
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    auto file = open_cifar(spec.files[i]);
    if (file) {
      records += file->size() / kCifarRecordBytes;
    } else {
      faults.push_back(at_field(std::move(file).error(), cifar_field(i)).value());
    }
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return DatasetInfo{records, cifar_layout()};
}

LoadedDataset load_format(const CifarFiles& spec, std::optional<int> num_classes) {
  std::vector<MappedFile> files;
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    auto file = open_cifar(spec.files[i]);
    if (!file) return at_field(std::move(file).error(), cifar_field(i));
    files.push_back(std::move(*file));
  }
  auto dataset = std::make_shared<const CifarDataset>(std::move(files), spec.scale);
  FULCRUM_TRY(dataset->check_labels(num_classes));
  return dataset;
}

}  // namespace fulcrum::workloads

// Format "npy": two arrays whose first dimension is the samples. Floating-point elements become float32,
// whole ones int64.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "workloads/dataset_formats.h"
#include "workloads/mapped_file.h"
#include "workloads/npy_file.h"

namespace fulcrum::workloads {

namespace {

struct NpyArray {
  MappedFile file;
  NpyHeader header;

  std::size_t samples() const { return static_cast<std::size_t>(header.shape.front()); }
  ArrayLayout sample_layout() const {
    return {is_floating(header.type) ? ElementType::float32 : ElementType::int64,
            {header.shape.begin() + 1, header.shape.end()}};
  }
};

Expected<NpyArray> open_npy(const std::string& path) {
  FULCRUM_TRY_ASSIGN(file, MappedFile::open(path));
  std::string first(std::min(file.size(), kNpyMostHeaderBytes), '\0');
  FULCRUM_TRY(file.read([&](const std::byte* bytes) { std::memcpy(first.data(), bytes, first.size()); }));
  FULCRUM_TRY_ASSIGN(header, parse_npy_header(first, file.size(), path));
  return NpyArray{std::move(file), std::move(header)};
}

// Elements lie at any address.
template <class From, class To>
void convert_elements(const std::byte* from, std::size_t count, std::byte* into) {
  auto* out = reinterpret_cast<To*>(into);
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    out[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): an i1 is a number
  }
}

void convert_elements(NpyType type, const std::byte* from, std::size_t count, std::byte* into) {
  switch (type) {
    case NpyType::b1:
    case NpyType::u1:
      return convert_elements<std::uint8_t, std::int64_t>(from, count, into);
    case NpyType::i1:
      return convert_elements<std::int8_t, std::int64_t>(from, count, into);
    case NpyType::i2:
      return convert_elements<std::int16_t, std::int64_t>(from, count, into);
    case NpyType::u2:
      return convert_elements<std::uint16_t, std::int64_t>(from, count, into);
    case NpyType::i4:
      return convert_elements<std::int32_t, std::int64_t>(from, count, into);
    case NpyType::u4:
      return convert_elements<std::uint32_t, std::int64_t>(from, count, into);
    case NpyType::i8:
      std::memcpy(into, from, count * sizeof(std::int64_t));
      return;
    case NpyType::f4:
      std::memcpy(into, from, count * sizeof(float));
      return;
    case NpyType::f8:
      return convert_elements<double, float>(from, count, into);
  }
}

class NpyDataset final : public Dataset {
 public:
  NpyDataset(NpyArray inputs, NpyArray targets)
      : Dataset({inputs.sample_layout(), targets.sample_layout()}),
        inputs_(std::move(inputs)),
        targets_(std::move(targets)) {}

  std::size_t size() const override { return inputs_.samples(); }

  Expected<void> check_classes(std::optional<int> num_classes) const {
    if (!layout().has_class()) return {};
    for (std::size_t i = 0; i < size(); ++i) {
      std::int64_t label = 0;
      FULCRUM_TRY(copy(targets_, i, reinterpret_cast<std::byte*>(&label)));
      FULCRUM_TRY(check_label(targets_.file.path(), label, i, num_classes));
    }
    return {};
  }

 private:
  static Expected<void> copy(const NpyArray& array, std::size_t sample, std::byte* into) {
    const std::size_t elements = array.header.elements() / array.samples();
    const std::size_t at = array.header.data_offset + sample * elements * bytes_of(array.header.type);
    return array.file.read(
        [&](const std::byte* bytes) { convert_elements(array.header.type, bytes + at, elements, into); });
  }

  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext&,
                      const Destination& into) const override {
    const std::size_t input_bytes = layout().input.bytes();
    const std::size_t target_bytes = layout().target.bytes();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      FULCRUM_TRY(copy(inputs_, samples[i], into.inputs + i * input_bytes));
      FULCRUM_TRY(copy(targets_, samples[i], into.targets + i * target_bytes));
    }
    return {};
  }

  NpyArray inputs_;
  NpyArray targets_;
};

struct NpyPair {
  NpyArray inputs;
  NpyArray targets;
};

tl::expected<NpyPair, std::vector<Error>> open_npy_pair(const NpyFiles& spec) {
  std::vector<Error> faults;
  auto inputs = open_npy(spec.inputs);
  auto targets = open_npy(spec.targets);
  if (!inputs) faults.push_back(at_field(inputs.error(), "/inputs").value());
  if (!targets) faults.push_back(at_field(targets.error(), "/targets").value());
  if (inputs && targets && inputs->samples() != targets->samples()) {
    faults.push_back(
        at_field(fail(ErrorCode::corrupt,
                      fmt::format("'{}' holds {} targets, but '{}' holds {} inputs", spec.targets,
                                  targets->samples(), spec.inputs, inputs->samples()))
                     .value(),
                 "/targets")
            .value());
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return NpyPair{std::move(*inputs), std::move(*targets)};
}

}  // namespace

CheckedDataset check_format(const NpyFiles& spec) {
  auto pair = open_npy_pair(spec);
  if (!pair) return tl::unexpected(std::move(pair).error());
  return DatasetInfo{pair->inputs.samples(), {pair->inputs.sample_layout(), pair->targets.sample_layout()}};
}

LoadedDataset load_format(const NpyFiles& spec, std::optional<int> num_classes) {
  auto pair = open_npy_pair(spec);
  if (!pair) return Unexpected(std::move(pair).error().front());
  auto dataset = std::make_shared<const NpyDataset>(std::move(pair->inputs), std::move(pair->targets));
  if (auto fit = dataset->check_classes(num_classes); !fit) {
    return at_field(std::move(fit).error(), "/targets");
  }
  return dataset;
}

}  // namespace fulcrum::workloads

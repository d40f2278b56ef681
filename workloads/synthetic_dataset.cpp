// Format "synthetic". Every number of a sample follows from the seed, the sample's index and the number's
// place: half of it is the pattern of the sample's class, half of it noise, each uniform in [-1, 1).

#include <fmt/format.h>

#include "common/random_bits.h"
#include "workloads/dataset_formats.h"

namespace fulcrum::workloads {

namespace {

constexpr std::size_t kMostPatternBytes = std::size_t{1} << 30;

// Streams of random numbers that must not be the same.
enum Stream : std::uint64_t { kClassStream = 1, kNoiseStream, kPatternStream };

float symmetric_unit(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31F;
}

SampleLayout layout_of(const SyntheticData& spec) {
  SampleLayout layout;
  layout.input.shape = spec.shape;
  return layout;
}

class SyntheticDataset final : public Dataset {
 public:
  explicit SyntheticDataset(const SyntheticData& spec)
      : Dataset(layout_of(spec)), spec_(spec), elements_(layout().input.elements()) {
    const auto classes = static_cast<std::size_t>(spec_.classes);
    patterns_.resize(classes * elements_);
    for (std::size_t c = 0; c < classes; ++c) {
      RandomBits bits(mixed_bits(spec_.seed, {kPatternStream, c}));
      for (std::size_t i = 0; i < elements_; ++i)
        patterns_[c * elements_ + i] = 0.5F * symmetric_unit(bits.next());
    }
  }

  std::size_t size() const override { return static_cast<std::size_t>(spec_.samples); }

 private:
  Expected<void> fill(const std::vector<std::size_t>& samples, const ReadContext&,
                      const Destination& into) const override {
    auto* input = reinterpret_cast<float*>(into.inputs);
    auto* target = reinterpret_cast<std::int64_t*>(into.targets);
    for (const std::size_t sample : samples) {
      const auto c = static_cast<std::size_t>(mixed_bits(spec_.seed, {kClassStream, sample}) %
                                              static_cast<std::uint64_t>(spec_.classes));
      const float* pattern = patterns_.data() + c * elements_;
      RandomBits bits(mixed_bits(spec_.seed, {kNoiseStream, sample}));
      for (std::size_t i = 0; i < elements_; ++i)
        *input++ = pattern[i] + 0.5F * symmetric_unit(bits.next());
      *target++ = static_cast<std::int64_t>(c);
    }
    return {};
  }

  SyntheticData spec_;
  std::size_t elements_;
  std::vector<float> patterns_;  // [classes, elements]
};

Expected<void> check_pattern_size(const SyntheticData& spec) {
  const std::size_t bytes = static_cast<std::size_t>(spec.classes) * layout_of(spec).input.bytes();
  if (bytes <= kMostPatternBytes) return {};
  return at_field(fail(ErrorCode::limit_exceeded,
                       fmt::format("patterns of {} classes would take {} bytes, more than the {} allowed",
                                   spec.classes, bytes, kMostPatternBytes),
                       "have fewer classes or a smaller shape")
                      .value(),
                  "/classes");
}

}  // namespace

CheckedDataset check_format(const SyntheticData& spec) {
  if (auto fit = check_pattern_size(spec); !fit) return tl::unexpected(std::vector{std::move(fit).error()});
  return DatasetInfo{static_cast<std::size_t>(spec.samples), layout_of(spec)};
}

LoadedDataset load_format(const SyntheticData& spec, std::optional<int> num_classes) {
  FULCRUM_TRY(check_pattern_size(spec));
  if (num_classes && spec.classes > *num_classes) {
    return at_field(fail(ErrorCode::invalid_argument,
                         fmt::format("the data set has {} classes, but the model's num_classes is {}",
                                     spec.classes, *num_classes))
                        .value(),
                    "/classes");
  }
  return std::make_shared<const SyntheticDataset>(spec);
}

}  // namespace fulcrum::workloads

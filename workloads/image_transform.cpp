#include "workloads/image_transform.h"

#include <algorithm>
#include <cmath>

#include "common/random_bits.h"

namespace fulcrum::workloads {

namespace {

constexpr std::uint64_t kAugmentStream = 0x61756765;

// The input pixels first, first + 1 ... that make one output pixel, with their weights.
struct Taps {
  std::int64_t first = 0;
  std::vector<float> weights;
};

// A triangle, as wide as an output pixel but no narrower than an input pixel, around the place of output
// pixel `at`. `ratio` is the input's length over the output's.
Taps taps_of(std::int64_t at, double ratio, std::int64_t input_length) {
  const double width = std::max(ratio, 1.0);
  const double centre = (static_cast<double>(at) + 0.5) * ratio;
  Taps taps;
  taps.first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(centre - width + 0.5)));
  const auto end = std::min(input_length, static_cast<std::int64_t>(std::floor(centre + width + 0.5)));
  double sum = 0;
  for (std::int64_t i = taps.first; i < end; ++i) {
    const double weight = std::max(0.0, 1.0 - std::abs((static_cast<double>(i) + 0.5 - centre) / width));
    taps.weights.push_back(static_cast<float>(weight));
    sum += weight;
  }
  for (float& weight : taps.weights)
    weight = static_cast<float>(weight / sum);
  return taps;
}

std::vector<Taps> all_taps(std::int64_t begin, std::int64_t count, std::int64_t output_length,
                           std::int64_t input_length) {
  const double ratio = static_cast<double>(input_length) / static_cast<double>(output_length);
  std::vector<Taps> taps;
  taps.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    taps.push_back(taps_of(begin + i, ratio, input_length));
  return taps;
}

// One row of pixels made as wide as the output: out[channel * columns + column].
template <int kChannels>
void narrow_row(const std::uint8_t* row, const std::vector<Taps>& columns, bool mirrored, float* out) {
  const std::size_t width = columns.size();
  for (std::size_t column = 0; column < width; ++column) {
    const Taps& taps = columns[mirrored ? width - 1 - column : column];
    float sums[kChannels] = {};
    const std::uint8_t* pixel = row + taps.first * kChannels;
    for (const float weight : taps.weights) {
      for (int c = 0; c < kChannels; ++c)
        sums[c] += weight * static_cast<float>(*pixel++);
    }
    for (int c = 0; c < kChannels; ++c)
      out[static_cast<std::size_t>(c) * width + column] = sums[c];
  }
}

}  // namespace

ImageTransform::ImageTransform(const ImageFolder& spec)
    : size_{spec.size[0], spec.size[1]},
      shorter_side_(spec.resize),
      channels_(spec.channels),
      random_crop_(spec.random_crop),
      random_mirror_(spec.flip) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels_); ++c) {
    factors_.push_back(static_cast<float>(1 / (255 * spec.scale.deviation[c])));
    offsets_.push_back(static_cast<float>(-spec.scale.mean[c] / spec.scale.deviation[c]));
  }
}

ImageSize ImageTransform::resized(ImageSize original) const {
  const auto ratio_up = [](std::int64_t length, std::int64_t to, std::int64_t from) {
    return (length * to + from - 1) / from;
  };
  if (shorter_side_ > 0) {
    if (original.rows <= original.columns) {
      return {shorter_side_, ratio_up(original.columns, shorter_side_, original.rows)};
    }
    return {ratio_up(original.rows, shorter_side_, original.columns), shorter_side_};
  }
  // The side that has to be made larger by more, or smaller by less, decides.
  if (size_.rows * original.columns >= size_.columns * original.rows) {
    return {size_.rows, std::max(size_.columns, ratio_up(original.columns, size_.rows, original.rows))};
  }
  return {std::max(size_.rows, ratio_up(original.rows, size_.columns, original.columns)), size_.columns};
}

ImageTransform::Choice ImageTransform::choose(ImageSize resized, std::uint64_t seed, std::uint64_t epoch,
                                              std::uint64_t sample) const {
  const std::int64_t rows_left = resized.rows - size_.rows;
  const std::int64_t columns_left = resized.columns - size_.columns;
  Choice choice{rows_left / 2, columns_left / 2, false};
  RandomBits bits(mixed_bits(seed, {kAugmentStream, epoch, sample}));
  if (random_crop_) {
    choice.row = static_cast<std::int64_t>(bits.below(static_cast<std::size_t>(rows_left) + 1));
    choice.column = static_cast<std::int64_t>(bits.below(static_cast<std::size_t>(columns_left) + 1));
  }
  if (random_mirror_) choice.mirrored = bits.below(2) == 1;
  return choice;
}

void ImageTransform::copy(const Pixels& pixels, const Choice& choice, float* into) const {
  const auto stride = pixels.size.columns * channels_;
  for (int c = 0; c < channels_; ++c) {
    const float factor = factors_[static_cast<std::size_t>(c)];
    const float offset = offsets_[static_cast<std::size_t>(c)];
    for (std::int64_t row = 0; row < size_.rows; ++row) {
      const std::uint8_t* from =
          pixels.bytes.data() + (choice.row + row) * stride + choice.column * channels_ + c;
      for (std::int64_t column = 0; column < size_.columns; ++column) {
        const auto at = choice.mirrored ? size_.columns - 1 - column : column;
        *into++ = static_cast<float>(from[at * channels_]) * factor + offset;
      }
    }
  }
}

void ImageTransform::apply(const Pixels& pixels, const Choice& choice, Scratch& scratch, float* into) const {
  const ImageSize whole = resized(pixels.original);
  if (whole.rows == pixels.size.rows && whole.columns == pixels.size.columns)
    return copy(pixels, choice, into);

  const auto rows = all_taps(choice.row, size_.rows, whole.rows, pixels.size.rows);
  const auto columns = all_taps(choice.column, size_.columns, whole.columns, pixels.size.columns);
  const std::int64_t first_row = rows.front().first;
  const std::int64_t end_row = rows.back().first + static_cast<std::int64_t>(rows.back().weights.size());
  const auto width = static_cast<std::size_t>(size_.columns);
  const std::size_t row_floats = width * static_cast<std::size_t>(channels_);
  scratch.rows.resize(static_cast<std::size_t>(end_row - first_row) * row_floats);
  for (std::int64_t row = first_row; row < end_row; ++row) {
    const std::uint8_t* from = pixels.bytes.data() + row * pixels.size.columns * channels_;
    float* out = scratch.rows.data() + static_cast<std::size_t>(row - first_row) * row_floats;
    channels_ == 1 ? narrow_row<1>(from, columns, choice.mirrored, out)
                   : narrow_row<3>(from, columns, choice.mirrored, out);
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels_); ++c) {
    for (const Taps& taps : rows) {
      std::fill(into, into + width, offsets_[c]);
      const float* from =
          scratch.rows.data() + static_cast<std::size_t>(taps.first - first_row) * row_floats + c * width;
      for (const float weight : taps.weights) {
        const float factor = weight * factors_[c];
        for (std::size_t i = 0; i < width; ++i)
          into[i] += factor * from[i];
        from += row_floats;
      }
      into += width;
    }
  }
}

}  // namespace fulcrum::workloads

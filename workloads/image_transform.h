#pragma once
// From decoded pixels to what a network takes: resized, cropped, perhaps mirrored, scaled, one plane a
// channel.

#include <cstdint>
#include <vector>

#include "common/dataset_spec.h"
#include "workloads/image_decoder.h"

namespace fulcrum::workloads {

class ImageTransform {
 public:
  explicit ImageTransform(const ImageFolder& spec);

  // The size that an image is resized to before `spec.size` is cut out of it: never smaller than that.
  ImageSize resized(ImageSize original) const;

  // Where the crop begins in the resized image, and whether it is mirrored.
  struct Choice {
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool mirrored = false;
  };

  // Follows from the arguments alone. In the middle and not mirrored, where the spec does not augment.
  Choice choose(ImageSize resized, std::uint64_t seed, std::uint64_t epoch, std::uint64_t sample) const;

  // Memory that is used again from one image to the next.
  struct Scratch {
    std::vector<float> rows;
  };

  // Bilinear; where the image is made smaller, over all the pixels that an output pixel covers, so that
  // nothing is skipped. `into` has room for [channels, rows, columns].
  void apply(const Pixels& pixels, const Choice& choice, Scratch& scratch, float* into) const;

 private:
  void copy(const Pixels& pixels, const Choice& choice, float* into) const;

  ImageSize size_;
  std::int64_t shorter_side_;  // 0: as small as covers size_
  int channels_;
  bool random_crop_;
  bool random_mirror_;
  std::vector<float> factors_;  // of each channel: value = pixel * factor + offset
  std::vector<float> offsets_;
};

}  // namespace fulcrum::workloads

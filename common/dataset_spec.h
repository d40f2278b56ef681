#pragma once
// Which samples a job reads, by the format of its files: the "dataset" of the job specs of docs/api.md.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/json_fields.h"
#include "common/json_text.h"

namespace fulcrum {

// A file or folder that a job names, with the field that names it, such as /dataset/images.
struct NamedFile {
  std::string field;
  std::string path;
};

// "idx": MNIST's format, gzipped or not.
struct IdxFiles {
  std::string images;  // absolute path, unsigned bytes [n, rows, cols]
  std::string labels;  // absolute path, unsigned bytes [n]
};

// What pixels become: (x / 255 - mean) / deviation, with one number of each for a channel.
struct PixelScale {
  std::vector<double> mean;
  std::vector<double> deviation;
};

// "cifar10": the binary version of CIFAR-10, unpacked.
struct CifarFiles {
  std::vector<std::string> files;  // absolute paths
  PixelScale scale{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
};

// "image_folder": JPEG and PNG files in one folder for each class.
struct ImageFolder {
  std::string root;                    // absolute path
  std::array<std::int64_t, 2> size{};  // rows and columns of a sample
  std::int64_t resize = 0;             // shorter side before the crop; 0: as small as covers `size`
  int channels = 3;                    // or 1
  PixelScale scale{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
  bool flip = false;         // mirrored at random
  bool random_crop = false;  // not out of the middle
};

// "npy": NumPy's arrays, with the samples in the first dimension of both.
struct NpyFiles {
  std::string inputs;   // absolute path
  std::string targets;  // absolute path
};

// "tokens": a stream of numbers, cut into sequences.
struct TokenFile {
  std::string file;              // absolute path, little-endian
  std::string dtype = "uint16";  // or "int32", "uint32", "int64"
  std::int64_t sequence_length = 0;
  std::optional<std::int64_t> vocabulary;  // every token must be below it
};

// "synthetic": made up from numbers alone. Inputs are floats, the class of each sample shows in them.
struct SyntheticData {
  std::int64_t samples = 0;
  std::vector<std::int64_t> shape;  // of one input
  int classes = 10;
  std::uint64_t seed = 1;
};

struct DatasetSpec {
  std::variant<IdxFiles, CifarFiles, ImageFolder, NpyFiles, TokenFile, SyntheticData> source;

  std::string_view format() const;

  // Files and folders, with their fields relative to the data set, such as /images.
  std::vector<NamedFile> files() const;

  // With every default filled in.
  Json to_json() const;

  // What of it decides how much work a sample is: no path, no seed, no number of samples,
  // no constant that numbers are scaled by.
  Json cost_traits() const;
};

// The object `dataset` of `parent`; its faults go where those of `parent` do.
void read_dataset(JsonFields& parent, DatasetSpec& dataset);

// The fields of a data set that hold a path or a list of paths.
const std::vector<std::string>& dataset_path_fields();

}  // namespace fulcrum

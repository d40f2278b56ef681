#pragma once
// Which samples a job reads, by the format of its files: the "dataset" of the job specs of docs/api.md.

#include <cstdint>
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

// "synthetic": made up from numbers alone. Inputs are floats, the class of each sample shows in them.
struct SyntheticData {
  std::int64_t samples = 0;
  std::vector<std::int64_t> shape;  // of one input
  int classes = 10;
  std::uint64_t seed = 1;
};

struct DatasetSpec {
  std::variant<IdxFiles, SyntheticData> source;

  std::string_view format() const;

  // Files and folders, with their fields relative to the data set, such as /images.
  std::vector<NamedFile> files() const;

  // With every default filled in.
  Json to_json() const;

  // What of it decides how much work a sample is: no path, no seed, no number of samples.
  Json cost_traits() const;
};

// The object `dataset` of `parent`; its faults go where those of `parent` do.
void read_dataset(JsonFields& parent, DatasetSpec& dataset);

// The fields of a data set that hold a path or a list of paths.
const std::vector<std::string>& dataset_path_fields();

}  // namespace fulcrum

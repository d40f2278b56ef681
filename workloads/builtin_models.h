#pragma once
// The networks that need no file: names and the samples that they take. (builtin_networks.h makes them.)

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"

namespace fulcrum::workloads {

struct BuiltinModel {
  std::string name;
  std::string summary;
  std::vector<std::int64_t> input_shape;  // {channels, rows, columns}; empty: the data set's
  // Of a sample, where the shape is the data set's.
  std::size_t least_dimensions = 1;
  std::size_t most_dimensions = 8;
};

const std::vector<BuiltinModel>& builtin_models();

// invalid_argument, with the nearest known name.
[[nodiscard]] Expected<BuiltinModel> find_builtin_model(const std::string& name);

}  // namespace fulcrum::workloads

#include "workloads/builtin_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/suggest.h"

namespace fulcrum::workloads {

const std::vector<BuiltinModel>& builtin_models() {
  static const std::vector<BuiltinModel> models{
      {"lenet5", "LeNet-5 with ReLU and max-pooling, for images of 28 x 28 pixels", {1, 28, 28}},
      {"mlp", "two hidden layers, of 256 and 128 units, for samples of any shape", {}},
      {"lstm", "128 LSTM cells that read an image row by row, or a sequence step by step", {}, 2, 3},
  };
  return models;
}

Expected<BuiltinModel> find_builtin_model(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& model : builtin_models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  return fail(ErrorCode::invalid_argument, fmt::format("unknown built-in model '{}'", name),
              did_you_mean(name, names));
}

}  // namespace fulcrum::workloads

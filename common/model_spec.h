#pragma once
// The network of a job: one that Fulcrum brings, or a TorchScript file of the user's.

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/json_text.h"

namespace fulcrum {

struct ModelSpec {
  std::string builtin;   // "lenet5", ...; empty with a file
  int num_classes = 10;  // of a built-in model
  std::string torchscript =
      {};  // absolute path of what ScriptModule.save() wrote; empty with a built-in model
  // Of one sample, as the job itself states it ("input"); empty: as the data set has it.
  std::vector<std::int64_t> input_shape = {};

  bool is_file() const { return !torchscript.empty(); }
  // For a fault that concerns the model: the field of the spec that names it, "/model/torchscript".
  const char* field() const { return is_file() ? "/model/torchscript" : "/model/builtin"; }
  // "model 'lenet5'" or "model '/m.pt'".
  std::string title() const;
};

// A built-in model's name, and the shape of one input sample; empty where the shape is the data set's.
struct BuiltinShape {
  const char* name;
  std::vector<std::int64_t> input_shape;
};
const std::vector<BuiltinShape>& builtin_shapes();

// The field "model", which is required.
void read_model(JsonFields& parent, ModelSpec& model);

// The field "input" of an inference job: {"shape": [...], "dtype": "float32"}.
void read_input(JsonFields& parent, ModelSpec& model);

// As read_model takes it.
Json to_json(const ModelSpec& model);

}  // namespace fulcrum

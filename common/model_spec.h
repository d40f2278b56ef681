#pragma once
// The network of a job: one that Fulcrum brings, or a TorchScript file of the user's.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/json_text.h"

namespace fulcrum {

// The network of a training job, with what it has learned so far.
struct ServedSpec {
  std::string name;     // of that job, the newest of the name; empty with its number
  std::int64_t id = 0;  // its number; 0 with its name
  // Only weights whose validation is not worse than that of the weights before them.
  bool gated = false;
};

struct ModelSpec {
  std::string builtin;           // "lenet5", ...; empty with a file or a job
  int num_classes = 10;          // of a built-in model
  std::string torchscript = {};  // absolute path of what ScriptModule.save() wrote; empty otherwise
  // Of inference jobs: another job's network. The daemon puts that job's model in its place.
  std::optional<ServedSpec> served = std::nullopt;
  // Of one sample, as the job itself states it ("input"); empty: as the data set has it.
  std::vector<std::int64_t> input_shape = {};

  bool is_file() const { return !torchscript.empty(); }
  // For a fault that concerns the model: the field of the spec that names it, "/model/torchscript".
  const char* field() const {
    return served ? "/model/job" : is_file() ? "/model/torchscript" : "/model/builtin";
  }
  // "model 'lenet5'", "model '/m.pt'" or "model of job 'fashion'".
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

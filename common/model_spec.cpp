#include "common/model_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fulcrum {

namespace {

using Need = JsonFields::Need;

constexpr Interval kClasses = Interval::between(2, 1000);
constexpr std::size_t kMostDimensions = 8;
constexpr Interval kDimensions = Interval::between(1, 1e6);

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const auto& model : builtin_shapes())
    names.emplace_back(model.name);
  return names;
}

void read_file_model(JsonFields& fields, ModelSpec& model) {
  fields.read_path("torchscript", model.torchscript, Need::required);
  for (const char* name : {"builtin", "num_classes"}) {
    if (fields.find(name) == nullptr) continue;
    fields.fault(name, ErrorCode::invalid_argument, "has no meaning for a model from a file",
                 "leave it out: the file says what the network is");
  }
}

void read_builtin_model(JsonFields& fields, ModelSpec& model) {
  fields.read_choice("builtin", model.builtin, builtin_names(), {}, Need::required);
  fields.read("num_classes", model.num_classes, kClasses);
}

void read_served_model(JsonFields& fields, ModelSpec& model) {
  auto& served = model.served.emplace();
  const Json& job = *fields.find("job");
  if (const auto id = whole_number(job, Interval::between(1, 1e9))) {
    served.id = *id;
  } else if (job.is_string() && !job.get_ref<const std::string&>().empty()) {
    served.name = job.get<std::string>();
  } else {
    fields.fault("job", ErrorCode::invalid_argument, "must be the name of a training job, or its number",
                 "fulcrumctl list shows both");
  }
  std::string gate = "none";
  fields.read_choice("gate", gate, {"none", "validation"});
  served.gated = gate == "validation";
  for (const char* name : {"builtin", "torchscript", "num_classes"}) {
    if (fields.find(name) == nullptr) continue;
    fields.fault(name, ErrorCode::invalid_argument, "has no meaning beside 'job'",
                 "leave it out: the training job says what the network is");
  }
}

void read_shape(JsonFields& fields, std::vector<std::int64_t>& into) {
  const Json* json = fields.find("shape");
  if (json == nullptr) return;
  std::vector<std::int64_t> shape;
  if (json->is_array() && json->size() <= kMostDimensions) {
    for (const auto& item : *json) {
      if (const auto size = whole_number(item, kDimensions)) shape.push_back(*size);
    }
  }
  if (shape.empty() || shape.size() != json->size()) {
    fields.fault("shape", ErrorCode::invalid_argument,
                 fmt::format("must be a list of 1 to {} whole numbers, each {}", kMostDimensions,
                             kDimensions.to_string()),
                 "such as [3, 224, 224]");
    return;
  }
  into = std::move(shape);
}

}  // namespace

std::string ModelSpec::title() const {
  if (served && served->id > 0) return fmt::format("model of job {}", served->id);
  if (served) return fmt::format("model of job '{}'", served->name);
  return fmt::format("model '{}'", is_file() ? torchscript : builtin);
}

const std::vector<BuiltinShape>& builtin_shapes() {
  static const std::vector<BuiltinShape> models{{"lenet5", {1, 28, 28}}, {"mlp", {}}, {"lstm", {}}};
  return models;
}

void read_model(JsonFields& parent, ModelSpec& model) {
  auto fields = parent.object("model", Need::required);
  if (!fields) return;
  if (fields->has("job")) {
    read_served_model(*fields, model);
  } else if (fields->has("torchscript")) {
    read_file_model(*fields, model);
  } else {
    read_builtin_model(*fields, model);
  }
  fields->finish();
}

// It adds nothing to a built-in model; it may be written down, and is then held to the truth.
void read_input(JsonFields& parent, ModelSpec& model) {
  auto fields = parent.object("input");
  if (!fields) return;
  std::string dtype;
  fields->read_choice("dtype", dtype, {"float32"});
  std::vector<std::int64_t> shape;
  read_shape(*fields, shape);
  for (const auto& builtin : builtin_shapes()) {
    if (shape.empty() || builtin.name != model.builtin || builtin.input_shape.empty()) continue;
    if (shape != builtin.input_shape) {
      fields->fault("shape", ErrorCode::invalid_argument,
                    fmt::format("model '{}' takes [{}]", builtin.name, fmt::join(builtin.input_shape, ", ")));
    }
    shape.clear();
  }
  model.input_shape = std::move(shape);
  fields->finish();
}

Json to_json(const ModelSpec& model) {
  if (model.served) {
    Json json{{"job", model.served->name}};
    if (model.served->id > 0) json["job"] = model.served->id;
    if (model.served->gated) json["gate"] = "validation";
    return json;
  }
  if (model.is_file()) return {{"torchscript", model.torchscript}};
  return {{"builtin", model.builtin}, {"num_classes", model.num_classes}};
}

}  // namespace fulcrum

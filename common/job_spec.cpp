#include "common/job_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/json_fields.h"

namespace fulcrum {

namespace {

using Need = JsonFields::Need;
using Faults = std::vector<Error>;

constexpr Interval kBatchSizes = Interval::between(1, 4096);
constexpr Interval kRatesHz = Interval::above(0, 1e5);
constexpr Interval kDurationsS = Interval::above(0, 1e9);
constexpr std::size_t kLongestName = 64;

// For what is printed in tables and logs.
void read_label(JsonFields& fields, const std::string& name, std::string& into) {
  std::string label;
  if (!fields.read(name, label)) return;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (label.size() > kLongestName || std::any_of(label.begin(), label.end(), is_control)) {
    fields.fault(name, ErrorCode::invalid_argument,
                 fmt::format("must have at most {} bytes and no control characters", kLongestName));
  } else if (!label.empty()) {
    into = label;
  }
}

void read_validation(JsonFields& parent, std::optional<ValidationSpec>& validation) {
  auto fields = parent.object("validation");
  if (!fields) return;
  validation.emplace();
  read_dataset(*fields, validation->dataset);
  fields->read("every_epochs", validation->every_epochs, Interval::between(1, 1e6));
  fields->finish();
}

void read_loader(JsonFields& parent, LoaderSpec& loader) {
  auto fields = parent.object("loader");
  if (!fields) return;
  fields->read("workers", loader.workers, Interval::between(0, 64));
  fields->read("prefetch", loader.prefetch, Interval::between(1, 64));
  fields->read("shard", loader.shard, Interval::between(0, 1e9));
  fields->finish();
}

void read_early_stopping(JsonFields& parent, TrainingSpec& spec) {
  auto fields = parent.object("early_stopping");
  if (!fields) return;
  auto& stopping = spec.early_stopping.emplace();
  fields->read("patience", stopping.patience, Interval::between(1, 1e6));
  fields->read_choice("metric", stopping.metric, {"loss", "accuracy"});
  fields->read("min_delta", stopping.min_delta, Interval::between(0, 1e6));
  if (!spec.validation) {
    parent.fault("early_stopping", ErrorCode::invalid_argument, "needs a validation to judge by",
                 "say on what data, in \"validation\"");
  }
  if (stopping.metric == "accuracy" && !spec.optimization.classifies()) {
    fields->fault(
        "metric", ErrorCode::invalid_argument,
        fmt::format("loss '{}' is not of class labels, so there is no accuracy", spec.optimization.loss),
        "choose \"loss\"");
  }
  fields->finish();
}

void read_checkpoint(JsonFields& parent, TrainingSpec& spec) {
  auto fields = parent.object("checkpoint");
  if (!fields) return;
  fields->read("every_s", spec.checkpoint_every_s, kDurationsS);
  fields->read("keep", spec.checkpoints_kept, Interval::between(2, 1000));
  fields->finish();
}

TrainingSpec read_training(JsonFields& fields) {
  TrainingSpec spec;
  read_dataset(fields, spec.dataset);
  read_validation(fields, spec.validation);
  fields.read("batch_size", spec.batch_size, kBatchSizes);
  fields.read("epochs", spec.epochs, Interval::between(1, 1e6));
  read_optimization(fields, spec.batch_size, spec.epochs, spec.optimization);
  read_loader(fields, spec.loader);
  read_early_stopping(fields, spec);
  read_checkpoint(fields, spec);
  fields.read("deterministic", spec.deterministic);
  fields.read_path("output", spec.output);
  return spec;
}

void read_batch_sizes(JsonFields& fields, std::vector<int>& batch_sizes) {
  const Json* json = fields.find("batch_sizes");
  if (json == nullptr) return;
  std::vector<int> sizes;
  if (json->is_array()) {
    for (const auto& item : *json) {
      if (const auto size = whole_number(item, kBatchSizes)) sizes.push_back(*size);
    }
    std::sort(sizes.begin(), sizes.end());
  }
  const bool repeats = std::adjacent_find(sizes.begin(), sizes.end()) != sizes.end();
  if (!json->is_array() || sizes.empty() || sizes.size() != json->size() || repeats) {
    fields.fault("batch_sizes", ErrorCode::invalid_argument,
                 fmt::format("must be a list of different whole numbers, each {}", kBatchSizes.to_string()),
                 "such as [1, 4, 16, 32, 64]");
    return;
  }
  batch_sizes = std::move(sizes);
}

// The rate of arrivals, if it was given.
bool read_arrival(JsonFields& parent, double& rate_hz) {
  const Json* json = parent.find("arrival");
  if (json != nullptr && *json == "auto") {
    parent.fault("arrival", ErrorCode::unsupported, "'auto' is not supported in this version",
                 "say {\"rate_hz\": requests per second}");
    return false;
  }
  auto fields = parent.object("arrival");
  if (!fields) return false;
  const bool given = fields->read("rate_hz", rate_hz, kRatesHz);
  fields->finish();
  return given;
}

// The rate of the replay, if it was given.
bool read_source(JsonFields& parent, ReplaySpec& source) {
  auto fields = parent.object("source", Need::required);
  if (!fields) return false;
  std::string kind;
  if (!fields->read_choice("kind", kind, {"replay"}, {"socket"}, Need::required)) return false;
  read_dataset(*fields, source.dataset);
  fields->read_choice("process", source.process, {"periodic", "poisson"}, {"trace"});
  const bool given = fields->read("rate_hz", source.rate_hz, kRatesHz);
  double duration_s = 0;
  if (fields->read("duration_s", duration_s, kDurationsS)) source.duration_s = duration_s;
  fields->read("seed", source.seed);
  fields->finish();
  return given;
}

InferenceSpec read_inference(JsonFields& fields, ModelSpec& model) {
  InferenceSpec spec;
  read_input(fields, model);
  fields.read("latency_budget_ms", spec.latency_budget_ms, Interval::above(0, 1e6), Need::required);
  fields.read("percentile", spec.percentile, Interval::above(0, 100));
  read_batch_sizes(fields, spec.batch_sizes);
  std::string priority;
  fields.read_choice("priority", priority, {"urgent"}, {"best_effort"});

  const bool arrival_given = read_arrival(fields, spec.arrival_rate_hz);
  const bool replay_given = read_source(fields, spec.source);
  if (arrival_given && !replay_given) spec.source.rate_hz = spec.arrival_rate_hz;
  if (replay_given && !arrival_given) spec.arrival_rate_hz = spec.source.rate_hz;
  if (!arrival_given && !replay_given && !fields.has("arrival")) {
    fields.fault("arrival", ErrorCode::invalid_argument, "is missing",
                 "say {\"rate_hz\": requests per second}, here or in \"source\"");
  }
  return spec;
}

void add_training(const TrainingSpec& spec, Json& json) {
  json["dataset"] = spec.dataset.to_json();
  if (spec.validation) {
    json["validation"] = {{"dataset", spec.validation->dataset.to_json()},
                          {"every_epochs", spec.validation->every_epochs}};
  }
  add_optimization(spec.optimization, json);
  json["batch_size"] = spec.batch_size;
  json["epochs"] = spec.epochs;
  json["loader"] = {{"workers", spec.loader.workers}, {"prefetch", spec.loader.prefetch}};
  if (spec.loader.shard > 0) json["loader"]["shard"] = spec.loader.shard;
  json["checkpoint"] = {{"every_s", spec.checkpoint_every_s}};
  if (spec.checkpoints_kept != TrainingSpec().checkpoints_kept)
    json["checkpoint"]["keep"] = spec.checkpoints_kept;
  if (spec.early_stopping) {
    json["early_stopping"] = {{"patience", spec.early_stopping->patience},
                              {"metric", spec.early_stopping->metric},
                              {"min_delta", spec.early_stopping->min_delta}};
  }
  json["deterministic"] = spec.deterministic;
  if (!spec.output.empty()) json["output"] = spec.output;
}

void add_inference(const InferenceSpec& spec, Json& json) {
  json["latency_budget_ms"] = spec.latency_budget_ms;
  json["percentile"] = spec.percentile;
  json["arrival"] = {{"rate_hz", spec.arrival_rate_hz}};
  json["batch_sizes"] = spec.batch_sizes;
  json["priority"] = "urgent";
  Json& source = json["source"];
  source = {{"kind", "replay"},
            {"dataset", spec.source.dataset.to_json()},
            {"process", spec.source.process},
            {"rate_hz", spec.source.rate_hz},
            {"seed", spec.source.seed}};
  if (spec.source.duration_s) source["duration_s"] = *spec.source.duration_s;
}

}  // namespace

std::vector<int> JobSpec::batch_sizes() const {
  if (const auto* spec = training()) return {spec->batch_size};
  return inference()->batch_sizes;
}

std::vector<NamedFile> JobSpec::input_files() const {
  std::vector<NamedFile> files;
  if (model.is_file()) files.push_back({model.field(), model.torchscript});
  const auto add = [&files](const std::string& field, const DatasetSpec& dataset) {
    for (const auto& file : dataset.files())
      files.push_back({field + file.field, file.path});
  };
  if (const auto* spec = training()) {
    add("/dataset", spec->dataset);
    if (spec->validation) add("/validation/dataset", spec->validation->dataset);
  } else {
    add("/source/dataset", inference()->source.dataset);
  }
  return files;
}

Json JobSpec::to_json() const {
  Json json{{"kind", std::string(kind_name())},
            {"name", name},
            {"model", fulcrum::to_json(model)},
            {"seed", seed},
            {"class", workload_class}};
  if (!strategy.empty()) json["strategy"] = strategy;
  if (const auto* spec = training()) {
    add_training(*spec, json);
  } else {
    add_inference(*inference(), json);
    if (!model.input_shape.empty()) json["input"] = {{"shape", model.input_shape}};
  }
  return json;
}

tl::expected<JobSpec, std::vector<Error>> JobSpec::from_json(const Json& json) {
  Faults faults;
  JsonFields fields(json, "", faults);
  std::string kind;
  const bool kind_known = fields.read_choice("kind", kind, {"training", "inference"}, {}, Need::required);

  JobSpec spec;
  spec.name = kind;
  read_label(fields, "name", spec.name);
  read_label(fields, "class", spec.workload_class);
  read_label(fields, "strategy", spec.strategy);
  read_model(fields, spec.model);
  fields.read("seed", spec.seed);
  if (kind == "training") {
    spec.kind = read_training(fields);
    if (spec.model.served) {
      fields.fault("model", ErrorCode::invalid_argument, "a training job needs a network of its own",
                   "say {\"builtin\": NAME} or {\"torchscript\": FILE}");
    } else if (spec.training()->optimization.loss == "in_model" && !spec.model.is_file()) {
      fields.fault("loss", ErrorCode::invalid_argument, "a built-in model has no loss of its own",
                   "choose another loss, or a model from a file");
    }
  }
  if (kind == "inference") spec.kind = read_inference(fields, spec.model);
  if (kind_known) fields.finish();  // which fields there are depends on the kind

  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return spec;
}

}  // namespace fulcrum

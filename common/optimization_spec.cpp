#include "common/optimization_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fulcrum {

namespace {

constexpr Interval kRates = Interval::above(0, 1e6);
constexpr Interval kShares = Interval::from_to_below(0, 1);
constexpr Interval kEpochs = Interval::between(1, 1e6);

// A field of "optimizer", and who has it.
struct OptimizerField {
  const char* name;
  double OptimizerSpec::*value;
  Interval range;
  std::vector<std::string> optimizers;
};

const std::vector<OptimizerField>& optimizer_fields() {
  static const std::vector<OptimizerField> fields{
      {"momentum", &OptimizerSpec::momentum, kShares, {"sgd", "rmsprop"}},
      {"weight_decay",
       &OptimizerSpec::weight_decay,
       Interval::between(0, 1e6),
       {"sgd", "adam", "adamw", "rmsprop"}},
      {"beta1", &OptimizerSpec::beta1, kShares, {"adam", "adamw"}},
      {"beta2", &OptimizerSpec::beta2, kShares, {"adam", "adamw"}},
      {"alpha", &OptimizerSpec::alpha, kShares, {"rmsprop"}},
      {"eps", &OptimizerSpec::eps, kRates, {"adam", "adamw", "rmsprop"}},
  };
  return fields;
}

bool has_field(const OptimizerField& field, const std::string& optimizer) {
  return std::find(field.optimizers.begin(), field.optimizers.end(), optimizer) != field.optimizers.end();
}

// With PyTorch's defaults, but for the momentum and the rate of SGD.
OptimizerSpec default_optimizer(const std::string& name) {
  OptimizerSpec spec;
  spec.name = name;
  if (name == "adam" || name == "adamw") spec.lr = 0.001;
  if (name == "adamw") spec.weight_decay = 0.01;
  if (name == "rmsprop") spec.momentum = 0;
  return spec;
}

void refuse_foreign(JsonFields& fields, const char* field, const std::string& optimizer) {
  if (fields.find(field) == nullptr) return;
  fields.fault(field, ErrorCode::invalid_argument,
               fmt::format("optimizer '{}' has no such option", optimizer), "leave it out");
}

void read_optimizer(JsonFields& parent, OptimizerSpec& optimizer) {
  auto fields = parent.object("optimizer");
  if (!fields) return;
  std::string name = optimizer.name;
  fields->read_choice("name", name, {"sgd", "adam", "adamw", "rmsprop"});
  optimizer = default_optimizer(name);
  fields->read("lr", optimizer.lr, kRates);
  for (const auto& field : optimizer_fields()) {
    if (has_field(field, name)) {
      fields->read(field.name, optimizer.*field.value, field.range);
    } else {
      refuse_foreign(*fields, field.name, name);
    }
  }
  if (name != "sgd") {
    refuse_foreign(*fields, "nesterov", name);
  } else if (fields->read("nesterov", optimizer.nesterov) && optimizer.nesterov && optimizer.momentum == 0) {
    fields->fault("nesterov", ErrorCode::invalid_argument, "Nesterov's method needs a momentum above 0",
                  "set \"momentum\", such as 0.9");
  }
  fields->finish();
}

void read_schedule(JsonFields& parent, int epochs, ScheduleSpec& schedule) {
  auto fields = parent.object("schedule");
  if (!fields) return;
  fields->read_choice("name", schedule.name, {"constant", "step", "cosine"});
  fields->read("warmup_steps", schedule.warmup_steps, Interval::between(0, 1e9));
  const auto belongs_to = [&](const char* field, const char* name) {
    if (schedule.name == name) return true;
    if (fields->find(field) != nullptr) {
      fields->fault(field, ErrorCode::invalid_argument, fmt::format("is for the schedule '{}' only", name),
                    "leave it out, or choose that schedule");
    }
    return false;
  };
  if (belongs_to("every_epochs", "step")) fields->read("every_epochs", schedule.every_epochs, kEpochs);
  if (belongs_to("gamma", "step")) fields->read("gamma", schedule.gamma, Interval::above(0, 1));
  if (belongs_to("over_epochs", "cosine")) {
    schedule.over_epochs = epochs;
    fields->read("over_epochs", schedule.over_epochs, kEpochs);
  }
  if (belongs_to("min_factor", "cosine"))
    fields->read("min_factor", schedule.min_factor, Interval::between(0, 1));
  fields->finish();
}

void read_clipping(JsonFields& parent, std::optional<ClippingSpec>& clipping) {
  auto fields = parent.object("clip_gradients");
  if (!fields) return;
  ClippingSpec read;
  double limit = 0;
  if (fields->read("norm", limit, kRates)) read.norm = limit;
  if (fields->read("value", limit, kRates)) read.value = limit;
  if (fields->has("norm") == fields->has("value")) {
    parent.fault("clip_gradients", ErrorCode::invalid_argument, "needs one of 'norm' and 'value'",
                 "such as {\"norm\": 1.0}");
  } else if (read.norm || read.value) {
    clipping = read;
  }
  fields->finish();
}

Json optimizer_json(const OptimizerSpec& spec) {
  const OptimizerSpec usual = default_optimizer(spec.name);
  Json json{{"name", spec.name}, {"lr", spec.lr}};
  for (const auto& field : optimizer_fields()) {
    if (!has_field(field, spec.name)) continue;
    const bool always = field.value == &OptimizerSpec::momentum;
    if (always || spec.*field.value != usual.*field.value) json[field.name] = spec.*field.value;
  }
  if (spec.nesterov) json["nesterov"] = true;
  return json;
}

Json schedule_json(const ScheduleSpec& spec) {
  Json json{{"name", spec.name}, {"warmup_steps", spec.warmup_steps}};
  if (spec.name == "step") {
    json["every_epochs"] = spec.every_epochs;
    json["gamma"] = spec.gamma;
  }
  if (spec.name == "cosine") {
    json["over_epochs"] = spec.over_epochs;
    json["min_factor"] = spec.min_factor;
  }
  return json;
}

}  // namespace

void read_optimization(JsonFields& fields, int batch_size, int epochs, OptimizationSpec& spec) {
  fields.read_choice("loss", spec.loss, {"cross_entropy", "mse", "bce_with_logits", "nll", "in_model"});
  read_optimizer(fields, spec.optimizer);
  read_schedule(fields, epochs, spec.schedule);
  read_clipping(fields, spec.clipping);
  if (fields.read("micro_batch_size", spec.micro_batch_size, Interval::between(1, 4096)) &&
      spec.micro_batch_size > batch_size) {
    fields.fault("micro_batch_size", ErrorCode::invalid_argument,
                 fmt::format("is larger than the minibatch, {}", batch_size),
                 "it is the part of a minibatch that goes through the network at a time");
  }
  fields.read_choice("precision", spec.precision, {"float32", "mixed"});
  fields.read_choice("non_finite_loss", spec.non_finite_loss, {"stop", "skip", "continue"});
}

void add_optimization(const OptimizationSpec& spec, Json& job) {
  job["loss"] = spec.loss;
  job["optimizer"] = optimizer_json(spec.optimizer);
  if (spec.schedule.name != "constant" || spec.schedule.warmup_steps > 0) {
    job["schedule"] = schedule_json(spec.schedule);
  }
  if (spec.clipping && spec.clipping->norm) job["clip_gradients"] = {{"norm", *spec.clipping->norm}};
  if (spec.clipping && spec.clipping->value) job["clip_gradients"] = {{"value", *spec.clipping->value}};
  if (spec.micro_batch_size > 0) job["micro_batch_size"] = spec.micro_batch_size;
  if (spec.precision != "float32") job["precision"] = spec.precision;
  if (spec.non_finite_loss != "stop") job["non_finite_loss"] = spec.non_finite_loss;
}

}  // namespace fulcrum

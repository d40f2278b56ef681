#include "workloads/training_checkpoint.h"

#include <fmt/format.h>

namespace fulcrum::workloads {

namespace {

constexpr int kFormatVersion = 1;

Json binary(const std::string& bytes) {
  return Json::binary({bytes.begin(), bytes.end()});
}

std::string bytes_of(const Json& binary) {
  const auto& bytes = binary.get_binary();
  return {bytes.begin(), bytes.end()};
}

Json to_json(const TrainingPosition& position) {
  Json validations = Json::array();
  for (const auto& result : position.validations)
    validations.push_back(to_json(result));
  return {{"steps", position.steps},
          {"epoch", position.epoch},
          {"minibatch", position.minibatch},
          {"epoch_loss_sum", position.epoch_loss_sum},
          {"epoch_samples", position.epoch_samples},
          {"last_epoch_loss", position.last_epoch_loss},
          {"skipped", position.skipped},
          {"skipped_in_a_row", position.skipped_in_a_row},
          {"validating", position.validating},
          {"validation_minibatch", position.validation_minibatch},
          {"validation_loss_sum", position.validation_loss_sum},
          {"validation_correct", position.validation_correct},
          {"validations", std::move(validations)}};
}

TrainingPosition position_from(const Json& json) {
  TrainingPosition position;
  json.at("steps").get_to(position.steps);
  json.at("epoch").get_to(position.epoch);
  json.at("minibatch").get_to(position.minibatch);
  json.at("epoch_loss_sum").get_to(position.epoch_loss_sum);
  json.at("epoch_samples").get_to(position.epoch_samples);
  json.at("last_epoch_loss").get_to(position.last_epoch_loss);
  // Checkpoints of version 0.1.0 have none.
  position.skipped = json.value("skipped", std::uint64_t{0});
  position.skipped_in_a_row = json.value("skipped_in_a_row", 0);
  json.at("validating").get_to(position.validating);
  json.at("validation_minibatch").get_to(position.validation_minibatch);
  json.at("validation_loss_sum").get_to(position.validation_loss_sum);
  json.at("validation_correct").get_to(position.validation_correct);
  for (const auto& result : json.at("validations")) {
    position.validations.push_back({result.at("epoch").get<int>(), result.at("accuracy").get<double>(),
                                    result.at("loss").get<double>()});
  }
  return position;
}

Json to_json(const LearnerState& state) {
  Json random_states = Json::array();
  for (const auto& bytes : state.random_states)
    random_states.push_back(binary(bytes));
  return {{"model", binary(state.model)},
          {"optimizer", binary(state.optimizer)},
          {"random_states", std::move(random_states)},
          {"intra_op_threads", state.intra_op_threads},
          {"loss_scale", state.loss_scale},
          {"loss_scale_steps", state.loss_scale_steps}};
}

LearnerState learner_from(const Json& json) {
  LearnerState state;
  state.model = bytes_of(json.at("model"));
  state.optimizer = bytes_of(json.at("optimizer"));
  for (const auto& bytes : json.at("random_states"))
    state.random_states.push_back(bytes_of(bytes));
  json.at("intra_op_threads").get_to(state.intra_op_threads);
  // Checkpoints of version 0.1.0 have none.
  state.loss_scale = json.value("loss_scale", 0.0);
  state.loss_scale_steps = json.value("loss_scale_steps", std::int64_t{0});
  return state;
}

std::string value_at(const Json& flat, const std::string& pointer) {
  return flat.contains(pointer) ? to_line(flat.at(pointer)) : "absent";
}

}  // namespace

bool TrainingPosition::just_validated() const {
  return minibatch == 0 && !validating && !validations.empty() && validations.back().epoch == epoch;
}

Json fingerprint_of(const JobSpec& spec, std::size_t samples, std::size_t validation_samples,
                    const std::string& model_checksum) {
  const Json all = spec.to_json();
  Json fingerprint{{"samples", samples}, {"validation_samples", validation_samples}};
  for (const char* part : {"model", "dataset", "validation", "loss", "optimizer", "schedule",
                           "clip_gradients", "micro_batch_size", "precision", "batch_size", "seed"}) {
    if (all.contains(part)) fingerprint[part] = all.at(part);
  }
  if (const int shard = spec.training()->loader.shard; shard > 0) fingerprint["shard"] = shard;
  if (!model_checksum.empty()) fingerprint["model_checksum"] = model_checksum;
  return fingerprint;
}

Expected<void> check_fingerprint(const Json& stored, const Json& wanted) {
  if (stored == wanted) return {};
  const Json was = stored.flatten();
  const Json is = wanted.flatten();
  Json either = was;
  either.update(is);
  std::string differences;
  for (const auto& [pointer, value] : either.items()) {
    const std::string before = value_at(was, pointer);
    const std::string now = value_at(is, pointer);
    if (before != now) differences += fmt::format("; its {} is {}, this job's is {}", pointer, before, now);
  }
  return fail(ErrorCode::invalid_argument, "the checkpoint is of a different job" + differences,
              "remove the checkpoints to train from the start");
}

std::string encode(const TrainingCheckpoint& checkpoint) {
  const Json document{{"version", kFormatVersion},
                      {"fingerprint", checkpoint.fingerprint},
                      {"position", to_json(checkpoint.position)},
                      {"learner", to_json(checkpoint.learner)}};
  std::string bytes;
  Json::to_cbor(document, bytes);
  return bytes;
}

Expected<TrainingCheckpoint> decode_training_checkpoint(std::string_view bytes) {
  try {
    const Json document = Json::from_cbor(bytes.begin(), bytes.end());
    if (const int version = document.at("version").get<int>(); version != kFormatVersion) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the checkpoint has format version {}; this program reads {}", version,
                              kFormatVersion));
    }
    TrainingCheckpoint checkpoint;
    checkpoint.fingerprint = document.at("fingerprint");
    checkpoint.position = position_from(document.at("position"));
    checkpoint.learner = learner_from(document.at("learner"));
    return checkpoint;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::corrupt, fmt::format("the checkpoint cannot be decoded: {}", e.what()));
  }
}

}  // namespace fulcrum::workloads

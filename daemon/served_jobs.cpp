#include "daemon/served_jobs.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "daemon/job_json.h"

namespace fulcrum::daemon {

namespace {

constexpr const char* kField = "/model/job";

Unexpected fault(ErrorCode code, std::string message, std::string hint) {
  auto error = fail(code, std::move(message), std::move(hint));
  error.value().field = kField;
  return error;
}

bool is_training(const JobRecord& record) {
  return record.spec.value("kind", "") == "training";
}

Expected<JobRecord> find_by_id(JobId id, JobStore& store, std::optional<JobId> before) {
  auto record = store.get(id);
  if (!record && record.error().code != ErrorCode::not_found) return record;
  if (!record || (before && id >= *before)) {
    return fault(ErrorCode::not_found, fmt::format("there is no job {}", id),
                 "fulcrumctl list shows the jobs");
  }
  if (!is_training(*record)) {
    return fault(ErrorCode::invalid_argument, fmt::format("job {} is no training job", id),
                 "name one whose network learns");
  }
  return record;
}

Expected<JobRecord> find_by_name(const std::string& name, JobStore& store, std::optional<JobId> before) {
  FULCRUM_TRY_ASSIGN(records, store.list());
  JobRecord* found = nullptr;
  for (auto& record : records) {
    if (before && record.id >= *before) break;
    if (is_training(record) && record.spec.value("name", "") == name) found = &record;
  }
  if (found == nullptr) {
    return fault(ErrorCode::not_found, fmt::format("there is no training job '{}'", name),
                 "submit the training first; fulcrumctl list shows the jobs");
  }
  return std::move(*found);
}

}  // namespace

Expected<std::optional<ServedTraining>> resolve_served(JobSpec& spec, JobStore& store,
                                                       std::optional<JobId> before) {
  if (!spec.model.served) return std::optional<ServedTraining>();
  const ServedSpec wanted = *spec.model.served;
  FULCRUM_TRY_ASSIGN(record, wanted.id > 0 ? find_by_id(wanted.id, store, before)
                                           : find_by_name(wanted.name, store, before));
  auto training = JobSpec::from_json(record.spec);
  if (!training) return Unexpected(training.error().front());
  if (wanted.gated && !training->training()->validation) {
    auto error =
        fault(ErrorCode::invalid_argument, fmt::format("job {} has no validation to judge by", record.id),
              "give the training job a \"validation\", or leave the gate out");
    error.value().field = "/model/gate";
    return error;
  }
  if (training->training()->optimization.loss == "in_model") {
    return fault(ErrorCode::unsupported,
                 fmt::format("the network of job {} returns its loss, not answers", record.id),
                 "export the network for inference, and serve that file");
  }
  auto shape = std::move(spec.model.input_shape);
  spec.model = std::move(training->model);
  spec.model.input_shape = std::move(shape);
  spec.seed = training->seed;
  return std::optional<ServedTraining>({record.id, wanted.gated});
}

Expected<void> check_has_weights(const ServedTraining& served, JobStore& store, const DaemonConfig& config) {
  FULCRUM_TRY_ASSIGN(record, store.get(served.id));
  if (!has_ended(record.state)) return {};
  const auto directory = checkpoint_directory(config, served.id);
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".ckpt") return {};
  }
  return fault(ErrorCode::unavailable,
               fmt::format("job {} is {} and has left no weights in '{}'", served.id, to_string(record.state),
                           directory),
               "name a training job that has got further");
}

}  // namespace fulcrum::daemon

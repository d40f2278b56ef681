#include "workloads/job_files.h"

#include <fmt/format.h>

#include "workloads/builtin_models.h"
#include "workloads/path_access.h"

namespace fulcrum::workloads {

namespace {

void add_fault(std::vector<Error>& faults, Error error, const std::string& field) {
  error.field = field;
  faults.push_back(std::move(error));
}

void check_one(const ModelSpec& model, const DatasetSpec& dataset, const std::string& field,
               std::vector<Error>& faults) {
  const auto info = check_dataset(dataset);
  if (!info) {
    for (const Error& error : info.error())
      add_fault(faults, error, field + error.field);
  } else if (auto fits = check_samples_fit(model, info->layout); !fits) {
    add_fault(faults, std::move(fits).error(), field);
  }
}

}  // namespace

Expected<void> check_samples_fit(const ModelSpec& model, const SampleLayout& samples) {
  FULCRUM_TRY_ASSIGN(builtin, find_builtin_model(model.builtin));
  const ArrayLayout wanted{ElementType::float32, builtin.input_shape};
  if (!(samples.input == wanted)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the samples have shape [{}] of {}, but model '{}' takes [{}] of {}",
                            fmt::join(samples.input.shape, ", "), name_of(samples.input.type), model.builtin,
                            fmt::join(wanted.shape, ", "), name_of(wanted.type)));
  }
  if (!samples.has_class()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("the targets have shape [{}] of {}, but model '{}' learns classes: one int64 a sample",
                    fmt::join(samples.target.shape, ", "), name_of(samples.target.type), model.builtin));
  }
  return {};
}

std::vector<Error> check_job_files(const JobSpec& spec) {
  std::vector<Error> faults;
  if (const auto* training = spec.training()) {
    check_one(spec.model, training->dataset, "/dataset", faults);
    if (training->validation) {
      check_one(spec.model, training->validation->dataset, "/validation/dataset", faults);
    }
    if (!training->output.empty()) {
      if (auto creatable = check_creatable(training->output); !creatable) {
        add_fault(faults, std::move(creatable).error(), "/output");
      }
    }
  } else {
    check_one(spec.model, spec.inference()->source.dataset, "/source/dataset", faults);
  }
  return faults;
}

}  // namespace fulcrum::workloads

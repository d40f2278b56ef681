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

void check_one(const JobSpec& spec, const DatasetSpec& dataset, const std::string& field,
               std::vector<Error>& faults) {
  const auto info = check_dataset(dataset);
  if (!info) {
    for (const Error& error : info.error())
      add_fault(faults, error, field + error.field);
  } else if (auto fits = check_samples_fit(spec.model, info->layout); !fits) {
    add_fault(faults, std::move(fits).error(), field);
  } else if (auto learns = spec.training() != nullptr ? check_targets_fit(spec, info->layout) : fits;
             !learns) {
    add_fault(faults, std::move(learns).error(), field);
  }
}

std::string layout_text(const ArrayLayout& layout) {
  return fmt::format("shape [{}] of {}", fmt::join(layout.shape, ", "), name_of(layout.type));
}

Unexpected does_not_fit(const ModelSpec& model, const SampleLayout& samples, const std::string& takes) {
  return fail(ErrorCode::invalid_argument, fmt::format("the samples have {}, but {} takes {}",
                                                       layout_text(samples.input), model.title(), takes));
}

Expected<void> check_samples_fit_builtin(const ModelSpec& model, const SampleLayout& samples) {
  FULCRUM_TRY_ASSIGN(builtin, find_builtin_model(model.builtin));
  const auto& [type, shape] = samples.input;
  if (!builtin.input_shape.empty()) {
    if (type == ElementType::float32 && shape == builtin.input_shape) return {};
    return does_not_fit(model, samples, fmt::format("[{}] of float32", fmt::join(builtin.input_shape, ", ")));
  }
  const bool fits = shape.size() >= builtin.least_dimensions && shape.size() <= builtin.most_dimensions;
  if (type == ElementType::float32 && fits) return {};
  return does_not_fit(
      model, samples,
      fmt::format("{} to {} dimensions of float32", builtin.least_dimensions, builtin.most_dimensions));
}

}  // namespace

std::optional<int> class_limit(const ModelSpec& model) {
  if (model.is_file()) return std::nullopt;
  return model.num_classes;
}

Expected<void> check_samples_fit(const ModelSpec& model, const SampleLayout& samples) {
  if (!model.is_file()) {
    if (auto fits = check_samples_fit_builtin(model, samples); !fits) return fits;
  }
  if (model.input_shape.empty() || model.input_shape == samples.input.shape) return {};
  return does_not_fit(model, samples, fmt::format("[{}]", fmt::join(model.input_shape, ", ")));
}

Expected<void> check_targets_fit(const JobSpec& spec, const SampleLayout& samples) {
  const auto& loss = spec.training()->optimization.loss;
  if (samples.has_class()) return {};
  if (spec.training()->optimization.classifies()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the targets have {}, but loss '{}' learns classes: one int64 a sample",
                            layout_text(samples.target), loss));
  }
  const std::vector<std::int64_t> answers{spec.model.num_classes};
  if (spec.model.is_file() || samples.target.shape == answers) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("the targets have {}, but {} answers with [{}]", layout_text(samples.target),
                          spec.model.title(), answers.front()));
}

std::vector<Error> check_job_files(const JobSpec& spec) {
  std::vector<Error> faults;
  if (spec.model.is_file()) {
    if (auto readable = check_readable(spec.model.torchscript); !readable) {
      add_fault(faults, std::move(readable).error(), spec.model.field());
    }
  }
  if (const auto* training = spec.training()) {
    check_one(spec, training->dataset, "/dataset", faults);
    if (training->validation) {
      check_one(spec, training->validation->dataset, "/validation/dataset", faults);
    }
    if (!training->output.empty()) {
      if (auto creatable = check_creatable(training->output); !creatable) {
        add_fault(faults, std::move(creatable).error(), "/output");
      }
    }
  } else {
    check_one(spec, spec.inference()->source.dataset, "/source/dataset", faults);
  }
  return faults;
}

}  // namespace fulcrum::workloads

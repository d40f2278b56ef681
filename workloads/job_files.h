#pragma once
// The files that a job names, examined before the job is taken on: they can be opened by this process, they
// are what the job says they are, and they fit the model.

#include <optional>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {

// All faults, each with its field in the spec (/dataset/images, /output, ...). Empty if all is well. Reads
// headers only; load_dataset may still find a file damaged further on.
std::vector<Error> check_job_files(const JobSpec& spec);

// Labels must be below it: the classes of a built-in model. None for a file, whose classes are known once it
// runs.
std::optional<int> class_limit(const ModelSpec& model);

// The samples are what a built-in model takes, or of the shape that the job says its model takes.
[[nodiscard]] Expected<void> check_samples_fit(const ModelSpec& model, const SampleLayout& samples);

// The targets are what the loss of the training job takes, as far as that does not depend on a model's file.
[[nodiscard]] Expected<void> check_targets_fit(const JobSpec& spec, const SampleLayout& samples);

}  // namespace fulcrum::workloads

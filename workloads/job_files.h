#pragma once
// The files that a job names, examined before the job is taken on: they can be opened by this process, they
// are what the job says they are, and they fit the model.

#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {

// All faults, each with its field in the spec (/dataset/images, /output, ...). Empty if all is well. Reads
// headers only; load_dataset may still find a file damaged further on.
std::vector<Error> check_job_files(const JobSpec& spec);

// The samples are what the model takes, and what it can learn from.
[[nodiscard]] Expected<void> check_samples_fit(const ModelSpec& model, const SampleLayout& samples);

}  // namespace fulcrum::workloads

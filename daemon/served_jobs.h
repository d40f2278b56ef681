#pragma once
// Inference jobs that serve the network of a training job.

#include <optional>
#include <string>

#include "daemon/config.h"
#include "daemon/job_store.h"

namespace fulcrum::daemon {

// Whose network it is.
struct ServedTraining {
  JobId id = 0;
  bool gated = false;  // see ServedSpec
};

// Where `spec` is of such a job: puts the training job's model and seed, which its first weights follow from,
// into their places, so that `spec` is one like any other. `before`: the job's own number, if it has one;
// jobs that came later do not count, so that the answer is the same at any time. not_found and
// invalid_argument have the field /model/job.
[[nodiscard]] Expected<std::optional<ServedTraining>> resolve_served(JobSpec& spec, JobStore& store,
                                                                     std::optional<JobId> before);

// unavailable if that job has ended and has left no weights.
[[nodiscard]] Expected<void> check_has_weights(const ServedTraining& served, JobStore& store,
                                               const DaemonConfig& config);

}  // namespace fulcrum::daemon

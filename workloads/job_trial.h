#pragma once
// What cannot be seen in a model's file is found by running it: on a few samples, before the job is taken on.

#include <vector>

#include "common/error.h"
#include "common/job_spec.h"

namespace fulcrum::workloads {

// Everything that only a run can show is wrong with the job: it runs minibatches of two sizes, one of them
// the last of an epoch if that is the smaller, of at most three samples each. On the CPU, with the default
// generators and threads of this process, so not in one in which other jobs run; and the model's code may do
// to the process what it likes. Empty if all is well. Expects that check_job_files() found nothing.
std::vector<Error> try_job(const JobSpec& spec);

}  // namespace fulcrum::workloads

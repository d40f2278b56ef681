#include "common/on_behalf_of.h"

#include <utility>

namespace fulcrum {

namespace {
thread_local JobId job_of_thread = 0;
}

JobId job_of_this_thread() {
  return job_of_thread;
}

OnBehalfOf::OnBehalfOf(JobId job) : before_(std::exchange(job_of_thread, job)) {}

OnBehalfOf::~OnBehalfOf() {
  job_of_thread = before_;
}

}  // namespace fulcrum

#pragma once
// For which job a thread works just now, so that whoever has to answer for a crash knows whose work it was.

#include "common/job_spec.h"

namespace fulcrum {

// 0: for none.
JobId job_of_this_thread();

// While it lives this thread works for the job; then for whom it did before.
class OnBehalfOf {
 public:
  explicit OnBehalfOf(JobId job);
  ~OnBehalfOf();
  OnBehalfOf(const OnBehalfOf&) = delete;
  OnBehalfOf& operator=(const OnBehalfOf&) = delete;

 private:
  JobId before_;
};

}  // namespace fulcrum

#pragma once
// Median and 99th percentile of the latest steps, by batch size.

#include <cstddef>
#include <map>
#include <vector>

#include "scheduler/plan.h"

namespace fulcrum::worker {

// Nearest-rank percentiles of samples in ms; samples not empty.
scheduler::StepTime summarize_steps(int batch_size, std::vector<double> samples_ms);

class RecentStepTimes {
 public:
  void add(int batch_size, double ms);
  // Only batch sizes with enough samples for a 99th percentile.
  std::vector<scheduler::StepTime> summary() const;

 private:
  struct Ring {
    std::vector<double> samples;
    std::size_t next = 0;
  };
  std::map<int, Ring> rings_;
};

}  // namespace fulcrum::worker

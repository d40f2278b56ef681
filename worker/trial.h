#pragma once
// The measuring of a new job, step by step, so that it can be sliced like everything else.

#include <map>
#include <optional>
#include <vector>

#include "common/clock.h"
#include "scheduler/plan.h"
#include "worker/protocol.h"

namespace fulcrum::worker {

// Whether a new job is measured at all: its pace has to be found, or the daemon wants to know.
inline bool must_measure(const StartJob& start) {
  return start.pace ? !start.pace->kappa : start.measure;
}

// Of each size.
inline constexpr int kTrialSamples = 100;

class Trial {
 public:
  // A few steps of each size for warming up, then `samples` that count.
  Trial(std::vector<int> batch_sizes, int samples);

  bool finished() const { return at_ == batch_sizes_.size(); }
  int batch_size() const { return batch_sizes_[at_]; }  // of the next step
  void record(double ms, TimePoint now);

  // Longest step so far of the present size: what the next may take. 0 at first: the first step has to be
  // tried.
  Duration step_bound() const { return from_ms(longest_ms_); }

  // Nothing fitted between the other jobs' work for a while: what has been measured has to do.
  // False if there is nothing yet.
  bool settle_if_starved(TimePoint now);

  std::vector<scheduler::StepTime> step_times() const;  // of the sizes measured

 private:
  std::vector<int> batch_sizes_;
  int samples_;
  std::size_t at_ = 0;
  int warmed_up_ = 0;
  double longest_ms_ = 0;
  std::optional<TimePoint> last_step_;
  std::map<int, std::vector<double>> measured_;
};

}  // namespace fulcrum::worker

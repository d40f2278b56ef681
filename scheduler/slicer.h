#pragma once
// The time slicer: what the device does next, as a pure function of the queues, the plan and the time. One
// slice is one minibatch and is never interrupted.
//
// Rule (searches.md section 1, for any arrival process): an inference batch starts when it is full, or,
// partial, when now >= oldest arrival + L - t_in,p99 - margin (its latest start; t_in of the planned batch
// size). A training minibatch starts only if it ends before the next latest start, and at most tau of them
// run in a window.

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "common/clock.h"
#include "common/job_spec.h"
#include "scheduler/plan.h"
#include "scheduler/slice_reason.h"

namespace fulcrum::scheduler {

struct InferenceQueue {
  JobId job = 0;
  std::size_t queued = 0;    // requests that have arrived and wait
  TimePoint oldest_arrival;  // of those; meaningless when none waits
};

struct TrainingQueue {
  JobId job = 0;
  bool ready = false;           // its next minibatch is loaded
  std::uint64_t steps_run = 0;  // the ready job with the fewest goes first
};

// A new job that is being measured before there is a plan for it; measured one step at a time, in time that
// training could have had, and not counted against tau.
struct TrialQueue {
  JobId job = 0;
  Duration step_bound{};  // longest step seen or expected
};

struct Queues {
  std::vector<InferenceQueue> inference;
  std::vector<TrainingQueue> training;
  std::vector<TrialQueue> trials;
  int trained_in_window = 0;  // from TrainingWindow
  TimePoint window_end;       // from TrainingWindow
};

struct RunInference {
  JobId job;
  int batch;
  SliceReason reason = SliceReason::full_batch;
};
struct RunTraining {
  JobId job;
};
struct RunTrial {
  JobId job;
};
// Nothing may start before `until` unless the queues change; none: only a change matters.
struct Wait {
  std::optional<TimePoint> until;
};
using Slice = std::variant<RunInference, RunTraining, RunTrial, Wait>;

// Queues of jobs that are not in the plan are left alone.
Slice next_slice(const Queues& queues, const Plan& plan, TimePoint now);

// The window that tau counts in: it begins when an inference batch starts, and anew when its length has
// passed and no request waits, so that silent sources do not stop training. (While one waits, a batch is
// about to start.)
class TrainingWindow {
 public:
  void inference_started(TimePoint now);
  void training_started() { ++trained_; }
  // To be called before the fields of Queues are taken from it.
  void roll(TimePoint now, Duration length, bool request_waits);

  int trained() const { return trained_; }
  TimePoint end() const { return end_; }

 private:
  TimePoint start_{};
  TimePoint end_{};
  int trained_ = 0;
};

}  // namespace fulcrum::scheduler

#pragma once
// A training job on the executor: its workload, how long its steps take, how far it is.

#include <memory>

#include "common/clock.h"
#include "worker/memory_meter.h"
#include "worker/pacer.h"
#include "worker/step_times.h"
#include "worker/trial.h"
#include "worker/workload.h"

namespace fulcrum::worker {

class TrainingJob {
 public:
  TrainingJob(const StartJob& start, std::unique_ptr<TrainingWorkload> workload);

  JobId id() const { return id_; }
  int batch_size() const { return batch_size_; }
  TrainingWorkload& workload() { return *workload_; }
  const TrainingWorkload& workload() const { return *workload_; }
  // The workload leaves the executor, to be closed or finished elsewhere.
  std::unique_ptr<TrainingWorkload> take_workload() { return std::move(workload_); }

  Trial& trial() { return trial_; }
  const Trial& trial() const { return trial_; }
  Pacer& pacer() { return pacer_; }
  MemoryMeter& memory() { return memory_; }

  // Ends the measuring: step times as they last in the present mode, if they are known.
  JobReady settle_trial();
  void forget_recent_times() { recent_ = {}; }

  void account_step(TrainingWorkload::Step step, double real_ms, double lasted_ms, TimePoint started);
  std::uint64_t steps_run() const { return steps_run_; }

  // Before the workload is taken.
  JobProgress progress(TimePoint now) const;

 private:
  JobId id_;
  int batch_size_;
  std::unique_ptr<TrainingWorkload> workload_;
  Trial trial_;
  Pacer pacer_;
  MemoryMeter memory_;
  RecentStepTimes recent_;
  std::uint64_t steps_run_ = 0;    // in this process
  std::uint64_t minibatches_ = 0;  // of them, training
  std::optional<TimePoint> first_step_;
};

}  // namespace fulcrum::worker

#pragma once
// The one thread that uses the device: it runs the slices that next_slice chooses, one minibatch at a time,
// and tells the daemon what came of them. What waits for the disk is left to a background thread.

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "common/clock.h"
#include "scheduler/slicer.h"
#include "worker/activity.h"
#include "worker/background.h"
#include "worker/inbox.h"
#include "worker/inference_job.h"
#include "worker/protocol.h"
#include "worker/training_job.h"
#include "worker/workload.h"

namespace fulcrum::worker {

inline constexpr std::chrono::milliseconds kLoadReportPeriod{50};

class Executor {
 public:
  using Send = std::function<void(FromWorker)>;  // called from the executor's and the background thread

  // All must outlive it.
  Executor(const Clock& clock, WorkloadFactory& factory, Activity& activity, Send send);

  // From any thread.
  void start(StartJob start);
  void stop(StopJob stop);
  void hold();
  void set_plan(SetPlan set);
  void shut_down();

  // The executor's thread: returns once shut_down() has been carried out and every job is closed.
  void run();

 private:
  // The steps that are run to be measured by the daemon.
  struct Probe {
    ProbeOrder order;
    Duration longest{};  // step so far, or what the daemon expects at most
  };
  // How a slice went.
  struct Timing {
    TimePoint started;
    TimePoint ended;
    double real_ms = 0;    // what it took
    double lasted_ms = 0;  // how long it was made to last
  };

  void load(const StartJob& start);
  // `before`: the memory as it was before the job was loaded.
  void adopt(const StartJob& start, Expected<WorkloadFactory::Build> build,
             const Expected<MemoryReading>& before);
  Expected<Workload> build(JobId job, const WorkloadFactory::Build& build);
  [[nodiscard]] Expected<void> adopt_workload(const StartJob& start, Workload workload);
  void stop_now(JobId job);
  void stop_all();
  void adopt_plan(const SetPlan& set);
  void begin_probe(const std::optional<ProbeOrder>& order);

  void take_arrivals();
  scheduler::Queues queues() const;
  void run_slice(const scheduler::Slice& slice);
  void run_inference(const scheduler::RunInference& slice);
  void run_training(const scheduler::RunTraining& slice);
  void run_trial(const scheduler::RunTrial& slice);
  void run_probe_step();
  void wait(const scheduler::Wait& slice);
  void report_running(DeviceSlice slice, TimePoint started);
  // Of a job's training step or of its inference batch; the memory that it takes is measured too.
  Expected<Timing> trial_step(JobId job, int batch_size);
  Expected<Timing> untold_step(JobId job, int batch_size);
  Timing timed(DeviceSlice slice, const Pacer& pacer, const std::function<void()>& step);

  void settle_trials();
  void end_finished_trainings();
  void end_finished_replays();
  void report_if_due();
  void report_epoch(const TrainingJob& job);
  void report_slices();
  void end(JobEnded message);
  void fail_job(JobId job, JobProgress last, Error error);
  void close_in_background(TrainingJob& job, Outcome outcome);
  MemoryMeter& memory_of(JobId job);
  bool in_plan(JobId job) const;
  bool probing(JobId job) const { return probe_ && probe_->order.job == job; }
  bool request_waits() const;

  const Clock& clock_;
  WorkloadFactory& factory_;
  Activity& activity_;
  Send send_;
  Inbox inbox_;
  std::optional<Background> background_;
  bool shutting_down_ = false;
  bool held_ = false;

  scheduler::Plan plan_;
  std::optional<Probe> probe_;
  scheduler::TrainingWindow window_;
  std::set<JobId> loading_;
  std::set<JobId> measuring_;
  std::map<JobId, TrainingJob> training_;
  std::map<JobId, InferenceJob> inference_;

  std::vector<DeviceSlice> slices_;  // that the daemon has not heard of
  Duration last_slice_{};
  TimePoint next_load_report_{};
  TimePoint next_progress_report_{};
  TimePoint next_epoch_report_{};
};

}  // namespace fulcrum::worker

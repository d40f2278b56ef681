#pragma once
// An inference job on the executor: requests that arrive on a schedule, the queue they wait in, and the
// latencies they got, counted from their scheduled arrivals.

#include <deque>
#include <memory>

#include "common/clock.h"
#include "common/histogram.h"
#include "scheduler/arrival_process.h"
#include "worker/memory_meter.h"
#include "worker/pacer.h"
#include "worker/step_times.h"
#include "worker/trial.h"
#include "worker/workload.h"

namespace fulcrum::worker {

class InferenceJob {
 public:
  // corrupt: start.resume is not what an earlier progress carried.
  [[nodiscard]] static Expected<InferenceJob> make(const StartJob& start,
                                                   std::unique_ptr<InferenceWorkload> workload);

  JobId id() const { return id_; }
  InferenceWorkload& workload() { return *workload_; }
  Trial& trial() { return trial_; }
  const Trial& trial() const { return trial_; }
  Pacer& pacer() { return pacer_; }
  MemoryMeter& memory() { return memory_; }
  JobReady settle_trial();
  void forget_recent_times() { recent_ = {}; }

  // The requests' schedule begins; again is no change.
  void open(TimePoint now);
  // Moves requests whose time has come into the queue.
  void take_arrivals(TimePoint now);

  std::size_t queued() const { return queue_.size(); }
  TimePoint oldest_arrival() const { return queue_.front().arrival; }
  // None when no more will come, or before open().
  std::optional<TimePoint> next_arrival() const;
  // Every request of the schedule has been answered.
  bool finished() const;

  // Answers the n oldest; the device was given back at the returned time of `clock`.
  struct Batch {
    std::vector<std::uint64_t> requests;
    std::vector<TimePoint> arrivals;
  };
  Batch take_batch(int n);
  void account_batch(const Batch& batch, std::optional<std::uint64_t> correct, double real_ms,
                     double lasted_ms, TimePoint done);

  JobProgress progress() const;

 private:
  struct Request {
    std::uint64_t index = 0;
    TimePoint arrival;
  };

  InferenceJob(const StartJob& start, std::unique_ptr<InferenceWorkload> workload,
               scheduler::ArrivalProcess arrivals);
  [[nodiscard]] Expected<void> resume_from(const Json& resume);
  void schedule_next();

  JobId id_;
  InferenceSpec spec_;
  std::unique_ptr<InferenceWorkload> workload_;
  Trial trial_;
  Pacer pacer_;
  MemoryMeter memory_;
  RecentStepTimes recent_;

  scheduler::ArrivalProcess arrivals_;
  std::optional<TimePoint> start_;  // of the schedule
  Duration resumed_at_{};           // offset of the last request answered before this run
  std::uint64_t next_index_ = 0;
  std::optional<Duration> next_offset_;
  std::deque<Request> queue_;

  LatencyHistogram latency_;
  std::uint64_t inside_budget_ = 0;
  std::optional<std::uint64_t> correct_ = 0;  // none once answers were no classes
  std::uint64_t batches_ = 0;
};

}  // namespace fulcrum::worker

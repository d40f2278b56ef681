#include "scheduler/slicer.h"

#include <algorithm>

namespace fulcrum::scheduler {

namespace {

const InferenceShare* share_of(const Plan& plan, JobId job) {
  for (const auto& share : plan.inference) {
    if (share.job == job) return &share;
  }
  return nullptr;
}

const TrainingShare* training_share_of(const Plan& plan, JobId job) {
  for (const auto& share : plan.training) {
    if (share.job == job) return &share;
  }
  return nullptr;
}

Duration batch_p99(const InferenceShare& share) {
  return from_ms(step_time_for(share.step_times, share.batch_size).p99_ms);
}

// When a batch must start at the latest so that a request that arrived at `arrival` is answered in time. It
// counts on a full one: a partial batch may grow up to the moment it starts.
TimePoint latest_start(const InferenceShare& share, const Plan& plan, TimePoint arrival) {
  return arrival + from_ms(share.latency_budget_ms - plan.margin_ms) - batch_p99(share);
}

int batch_waiting(const InferenceQueue& queue, const InferenceShare& share) {
  return static_cast<int>(std::min<std::size_t>(queue.queued, static_cast<std::size_t>(share.batch_size)));
}

// Of the batches that are due, the one whose oldest request has the earliest deadline.
std::optional<RunInference> due_inference(const Queues& queues, const Plan& plan, TimePoint now) {
  std::optional<RunInference> due;
  TimePoint earliest_deadline = TimePoint::max();
  for (const auto& queue : queues.inference) {
    const auto* share = share_of(plan, queue.job);
    if (share == nullptr || queue.queued == 0) continue;
    const int n = batch_waiting(queue, *share);
    if (n < share->batch_size && now < latest_start(*share, plan, queue.oldest_arrival)) continue;
    const TimePoint deadline = queue.oldest_arrival + from_ms(share->latency_budget_ms);
    if (deadline < earliest_deadline) {
      earliest_deadline = deadline;
      due = RunInference{queue.job, n,
                         n < share->batch_size ? SliceReason::latest_start : SliceReason::full_batch};
    }
  }
  return due;
}

// The moment by which the device must be free again: the earliest latest start among the jobs, each with room
// for one batch of every other job. A request may arrive right after `now`, so an empty queue counts as one
// whose oldest request arrives now.
TimePoint device_needed_by(const Queues& queues, const Plan& plan, TimePoint now) {
  Duration all_batches{};
  for (const auto& share : plan.inference)
    all_batches += batch_p99(share);
  TimePoint needed = TimePoint::max();
  for (const auto& queue : queues.inference) {
    const auto* share = share_of(plan, queue.job);
    if (share == nullptr) continue;
    const TimePoint arrival = queue.queued > 0 ? queue.oldest_arrival : now;
    const Duration others = all_batches - batch_p99(*share);
    needed = std::min(needed, latest_start(*share, plan, arrival) - others);
  }
  return needed;
}

bool ends_before(TimePoint needed, TimePoint now, Duration step) {
  return needed == TimePoint::max() || now + step <= needed;
}

bool window_has_room(const Queues& queues, const Plan& plan) {
  return !plan.training_per_window || queues.trained_in_window < *plan.training_per_window;
}

std::optional<RunTraining> fitting_training(const Queues& queues, const Plan& plan, TimePoint now,
                                            TimePoint needed) {
  const TrainingQueue* best = nullptr;
  for (const auto& queue : queues.training) {
    const auto* share = training_share_of(plan, queue.job);
    if (share == nullptr || !queue.ready) continue;
    if (!ends_before(needed, now, from_ms(share->step_time.p99_ms))) continue;
    if (best == nullptr || queue.steps_run < best->steps_run) best = &queue;
  }
  if (best == nullptr) return std::nullopt;
  return RunTraining{best->job};
}

// When a slice may become possible without any queue changing.
Wait until_something_is_due(const Queues& queues, const Plan& plan, TimePoint now) {
  Wait wait;
  const auto consider = [&wait, now](TimePoint t) {
    if (t > now && (!wait.until || t < *wait.until)) wait.until = t;
  };
  for (const auto& queue : queues.inference) {
    const auto* share = share_of(plan, queue.job);
    if (share == nullptr || queue.queued == 0) continue;
    consider(latest_start(*share, plan, queue.oldest_arrival));
  }
  if (!queues.training.empty() && !window_has_room(queues, plan)) consider(queues.window_end);
  return wait;
}

}  // namespace

Slice next_slice(const Queues& queues, const Plan& plan, TimePoint now) {
  if (const auto inference = due_inference(queues, plan, now)) return *inference;
  const TimePoint needed = device_needed_by(queues, plan, now);
  for (const auto& trial : queues.trials) {
    if (ends_before(needed, now, trial.step_bound)) return RunTrial{trial.job};
  }
  if (window_has_room(queues, plan)) {
    if (const auto training = fitting_training(queues, plan, now, needed)) return *training;
  }
  return until_something_is_due(queues, plan, now);
}

void TrainingWindow::inference_started(TimePoint now) {
  start_ = now;
  trained_ = 0;
}

void TrainingWindow::roll(TimePoint now, Duration length, bool request_waits) {
  if (!request_waits && now - start_ >= length) {
    start_ = now;
    trained_ = 0;
  }
  end_ = start_ + length;
}

}  // namespace fulcrum::scheduler

// What the daemon hears of the executor's jobs.

#include <utility>

#include "worker/executor.h"

namespace fulcrum::worker {

namespace {
constexpr std::chrono::milliseconds kProgressReportPeriod{500};
constexpr std::chrono::milliseconds kEpochReportPeriod{50};
}  // namespace

void Executor::settle_trials() {
  const TimePoint now = clock_.now();
  const auto settle = [this, now](auto& jobs) {
    for (auto& [id, job] : jobs) {
      if (measuring_.count(id) == 0) continue;
      if (!job.trial().finished() && !job.trial().settle_if_starved(now)) continue;
      measuring_.erase(id);
      send_(job.settle_trial());
    }
  };
  settle(training_);
  settle(inference_);
}

// Here and not after the last step: a run resumed from its last checkpoint has no step left to take.
void Executor::end_finished_trainings() {
  for (auto it = training_.begin(); it != training_.end();) {
    auto& job = it->second;
    if (measuring_.count(it->first) > 0 || !job.workload().finished()) {
      ++it;
      continue;
    }
    if (probing(it->first)) probe_.reset();
    close_in_background(job, Outcome::done);
    it = training_.erase(it);
  }
}

void Executor::end_finished_replays() {
  for (auto it = inference_.begin(); it != inference_.end();) {
    auto& job = it->second;
    if (!job.finished()) {
      ++it;
      continue;
    }
    const auto last = job.progress();
    if (probing(it->first)) probe_.reset();
    end({job.id(), Outcome::done, std::nullopt, last.progress, last.resume, last.progress});
    it = inference_.erase(it);
  }
}

// At once, so that no epoch is passed over; but those that take no time are told together.
void Executor::report_epoch(const TrainingJob& job) {
  const TimePoint now = clock_.now();
  if (now < next_epoch_report_) return;
  next_epoch_report_ = now + kEpochReportPeriod;
  send_(job.progress(now));
}

void Executor::report_slices() {
  if (!slices_.empty()) send_(Load{std::exchange(slices_, {}), std::nullopt});
}

void Executor::report_if_due() {
  const TimePoint now = clock_.now();
  if (!slices_.empty() && now >= next_load_report_) {
    report_slices();
    next_load_report_ = now + kLoadReportPeriod;
  }
  if (now < next_progress_report_) return;
  next_progress_report_ = now + kProgressReportPeriod;
  for (const auto& [id, job] : training_) {
    if (measuring_.count(id) == 0) send_(job.progress(now));
  }
  for (const auto& [id, job] : inference_) {
    if (measuring_.count(id) == 0) send_(job.progress());
  }
}

}  // namespace fulcrum::worker

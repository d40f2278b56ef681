#include "worker/training_job.h"

#include <utility>

namespace fulcrum::worker {

namespace {
Trial trial_for(const StartJob& start, int batch_size) {
  return Trial(must_measure(start) ? std::vector<int>{batch_size} : std::vector<int>{}, kTrialSamples);
}
}  // namespace

TrainingJob::TrainingJob(const StartJob& start, std::unique_ptr<TrainingWorkload> workload)
    : id_(start.job),
      batch_size_(start.spec.batch_sizes().front()),
      workload_(std::move(workload)),
      trial_(trial_for(start, batch_size_)),
      pacer_(start.pace) {}

JobReady TrainingJob::settle_trial() {
  workload_->end_trial();
  auto real = trial_.step_times();
  if (real.empty() && !pacer_.paced()) return {id_, {}, std::nullopt};
  if (real.empty()) real.push_back({batch_size_, 0, 0});
  if (!pacer_.calibrated()) pacer_.calibrate(real);
  return {id_, {pacer_.as_paced(real.front())}, pacer_.kappa()};
}

void TrainingJob::account_step(TrainingWorkload::Step step, double real_ms, double lasted_ms,
                               TimePoint started) {
  if (!first_step_) first_step_ = started;
  ++steps_run_;
  if (!step.validation) {
    ++minibatches_;
    recent_.add(batch_size_, lasted_ms);  // validation only goes forward, and is shorter
  }
  pacer_.account(batch_size_, real_ms);
}

JobProgress TrainingJob::progress(TimePoint now) const {
  JobProgress message{id_, workload_->progress(), nullptr, recent_.summary()};
  message.progress["minibatches"] = minibatches_;
  message.progress["steps"] = steps_run_;
  if (first_step_ && now > *first_step_) {
    const double rate = static_cast<double>(minibatches_) / to_s(now - *first_step_);
    message.progress["minibatches_per_s"] = rate;
    message.progress["samples_per_s"] = rate * batch_size_;
  }
  if (memory_.peak_bytes() > 0) message.progress["memory_bytes"] = memory_.peak_bytes();
  if (pacer_.paced()) message.progress["overruns"] = pacer_.overruns();
  return message;
}

}  // namespace fulcrum::worker

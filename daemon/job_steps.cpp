#include "daemon/job_steps.h"

#include <utility>

#include "scheduler/step_bound.h"

namespace fulcrum::daemon {

using scheduler::Profile;
using scheduler::StepTime;

StepTime step_time(const Profile& profile) {
  return {profile.batch_size, profile.p50_ms, profile.p99_ms};
}

// The allowed sizes whose requests can be collected inside the budget; else the smallest.
std::vector<int> usable_batch_sizes(const InferenceSpec& spec) {
  std::vector<int> usable;
  for (const int b : spec.batch_sizes) {
    if (1000.0 * b / spec.arrival_rate_hz < spec.latency_budget_ms) usable.push_back(b);
  }
  if (usable.empty()) usable.push_back(spec.batch_sizes.front());
  return usable;
}

std::vector<StepTime> measured_times(const PlannedJob& job, const PowerMode& mode) {
  std::vector<StepTime> times;
  for (const int b : usable_batch_sizes(*job.spec.inference())) {
    const auto* profile = job.profiles.find(WorkloadTask::inference, mode, b);
    if (profile != nullptr) times.push_back(step_time(*profile));
  }
  return times;
}

std::vector<StepTime> measured_or_bounded_times(const PlannedJob& job, const PowerMode& mode) {
  std::vector<StepTime> times;
  const auto& known = job.profiles.size() > 0 ? job.profiles : job.forgotten;
  for (const int b : usable_batch_sizes(*job.spec.inference())) {
    const auto* profile = job.profiles.find(WorkloadTask::inference, mode, b);
    const auto bound = scheduler::step_bound_ms(known, WorkloadTask::inference, mode, b);
    if (profile != nullptr) {
      times.push_back(step_time(*profile));
    } else if (bound) {
      times.push_back({b, *bound, *bound});
    }
  }
  return times;
}

scheduler::InferenceDemand demand_of(const PlannedJob& job, std::vector<StepTime> times) {
  const auto& spec = *job.spec.inference();
  return {job.id, job.spec.name, spec.arrival_rate_hz, spec.latency_budget_ms, std::move(times)};
}

const Profile* training_profile(const PlannedJob& job, const PowerMode& mode) {
  return job.profiles.find(WorkloadTask::training, mode, job.spec.training()->batch_size);
}

}  // namespace fulcrum::daemon

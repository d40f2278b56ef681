#include "daemon/searched_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "scheduler/step_bound.h"

namespace fulcrum::daemon {

namespace {

using scheduler::Measure;
using scheduler::Problem;
using scheduler::ProblemKind;
using scheduler::Profile;
using scheduler::ProfileSet;

// Tried in vain, and nothing is known of it.
bool defies_measuring(const PlannedJob& job, const Unmeasurable& unmeasurable) {
  if (job.profiles.size() > 0) return false;
  return std::any_of(unmeasurable.begin(), unmeasurable.end(),
                     [&job](const auto& entry) { return entry.first == job.id; });
}

std::optional<Profile> as_slow_as_can_be(const SearchedJobs::Part& part) {
  const auto& m = part.measure;
  const auto bound = scheduler::step_bound_ms(part.job->profiles, m.task, m.mode, m.batch_size);
  if (!bound) return std::nullopt;
  double power_w = std::numeric_limits<double>::infinity();
  for (const auto& [key, profile] : part.job->profiles)
    power_w = std::min(power_w, profile.power_w);
  return Profile{m.task, m.mode, m.batch_size, *bound, *bound, power_w};
}

}  // namespace

const Profile* SearchedJobs::Part::known() const {
  return job->profiles.find(measure.task, measure.mode, measure.batch_size);
}

SearchedJobs::SearchedJobs(const PlannedJobs& jobs, double margin_ms, const Unmeasurable& unmeasurable)
    : margin_ms_(margin_ms) {
  const PlannedJob* first = nullptr;
  for (const auto& [id, job] : jobs) {
    if (job.spec.training() != nullptr) {
      if (training_ == nullptr) training_ = &job;
      continue;
    }
    if (first == nullptr) first = &job;
    if (!defies_measuring(job, unmeasurable)) inference_.push_back(&job);
  }
  if (inference_.empty() && first != nullptr) inference_.push_back(first);
  take_together();
}

void SearchedJobs::take_together() {
  profiles_ = training_ != nullptr ? training_->profiles : ProfileSet{};
  together_.reset();
  if (inference_.size() == 1) profiles_.take_over(inference_.front()->profiles);
  if (inference_.size() < 2) return;
  std::vector<scheduler::UrgentJob> urgent;
  urgent.reserve(inference_.size());
  for (const auto* job : inference_) {
    const auto& spec = *job->spec.inference();
    urgent.push_back({spec.arrival_rate_hz, spec.latency_budget_ms, spec.batch_sizes, job->profiles});
  }
  together_.emplace(std::move(urgent), margin_ms_);
  profiles_.take_over(together_->profiles());
}

bool SearchedJobs::contains(const PlannedJob& job) const {
  return &job == training_ || std::find(inference_.begin(), inference_.end(), &job) != inference_.end();
}

bool SearchedJobs::leave_out_youngest_inference() {
  if (inference_.size() < 2) return false;
  inference_.pop_back();
  take_together();
  return true;
}

Problem SearchedJobs::problem(const PlanningRules& rules) const {
  Problem problem;
  problem.grid = rules.grid;
  problem.power_budget_w = rules.power_budget_w;
  problem.noise = rules.noise;
  problem.profiles_at_start = rules.known_at_start.value_or(profiles_.size());
  if (training_ != nullptr) problem.training_batch_size = training_->spec.training()->batch_size;
  if (inference_.empty()) return problem;
  problem.kind = training_ != nullptr ? ProblemKind::concurrent : ProblemKind::infer;
  if (together_) {
    together_->describe(problem);
  } else {
    const auto& spec = *inference_.front()->spec.inference();
    problem.latency_budget_ms = spec.latency_budget_ms;
    problem.arrival_rate_hz = spec.arrival_rate_hz;
    problem.inference_batch_sizes = spec.batch_sizes;
  }
  return problem;
}

std::vector<SearchedJobs::Part> SearchedJobs::parts_of(const Measure& measure) const {
  if (measure.task == WorkloadTask::training) return {{training_, measure}};
  std::vector<Part> parts;
  for (std::size_t i = 0; i < inference_.size(); ++i) {
    parts.push_back({inference_[i], measure});
    if (together_) parts.back().measure.batch_size = together_->sizes_of(measure.batch_size)[i];
  }
  return parts;
}

std::optional<Profile> SearchedJobs::assumed(const Measure& measure) const {
  std::vector<Profile> of_jobs;
  for (const auto& part : parts_of(measure)) {
    const auto* known = part.known();
    const auto profile = known != nullptr ? std::optional(*known) : as_slow_as_can_be(part);
    if (!profile) return std::nullopt;
    of_jobs.push_back(*profile);
  }
  const bool is_one = measure.task == WorkloadTask::training || !together_;
  return is_one ? of_jobs.front() : together_->together(measure.batch_size, of_jobs);
}

std::string SearchedJobs::why_hopeless() const {
  if (!together_) return {};
  for (const auto* job : inference_) {
    const auto& spec = *job->spec.inference();
    const double window_ms = 1000.0 * spec.batch_sizes.front() / spec.arrival_rate_hz;
    if (window_ms < spec.latency_budget_ms) continue;
    return fmt::format(
        "the latency budget of '{}', {:.1f} ms, is too small: at {:g} requests per second the smallest "
        "batch, {}, takes {:.1f} ms to collect",
        job->spec.name, spec.latency_budget_ms, spec.arrival_rate_hz, spec.batch_sizes.front(), window_ms);
  }
  return {};
}

}  // namespace fulcrum::daemon

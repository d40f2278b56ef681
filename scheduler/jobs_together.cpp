#include "scheduler/jobs_together.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "scheduler/demand_bound.h"

namespace fulcrum::scheduler {

namespace {

constexpr std::size_t kMostBatches = 8;  // to choose from; a probe of one is a probe of every job

}  // namespace

JobsTogether::JobsTogether(std::vector<UrgentJob> jobs, double margin_ms)
    : jobs_(std::move(jobs)), margin_ms_(margin_ms) {
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    auto& sizes = jobs_[j].batch_sizes;
    const auto first_too_large = std::find_if(
        sizes.begin(), sizes.end(), [&](int b) { return window_ms(j, b) >= jobs_[j].latency_budget_ms; });
    sizes.erase(std::max(first_too_large, sizes.begin() + 1), sizes.end());
    rate_hz_ += jobs_[j].arrival_rate_hz;
  }
  order_batches();
  thin_out();
}

bool JobsTogether::collectable(std::size_t job) const {
  return window_ms(job, jobs_[job].batch_sizes.front()) < jobs_[job].latency_budget_ms;
}

void JobsTogether::order_batches() {
  std::vector<std::size_t> at(jobs_.size(), 0);  // which of its sizes a job has
  const auto part_of_next = [&](std::size_t j) {
    const auto& sizes = jobs_[j].batch_sizes;
    if (at[j] + 1 == sizes.size()) return std::numeric_limits<double>::infinity();
    return window_ms(j, sizes[at[j] + 1]) / jobs_[j].latency_budget_ms;
  };
  while (true) {
    Batch batch;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      batch.sizes.push_back(jobs_[j].batch_sizes[at[j]]);
      next = std::min(next, part_of_next(j));
    }
    batch.all = std::accumulate(batch.sizes.begin(), batch.sizes.end(), 0);
    batch.window_ms = 1000.0 * batch.all / rate_hz_;
    batches_.push_back(std::move(batch));
    if (std::isinf(next)) return;
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      at[j] += part_of_next(j) <= next ? 1 : 0;
  }
}

// Evenly, the ends stay.
void JobsTogether::thin_out() {
  if (batches_.size() <= kMostBatches) return;
  std::vector<Batch> kept;
  kept.reserve(kMostBatches);
  for (std::size_t i = 0; i < kMostBatches; ++i)
    kept.push_back(batches_[i * (batches_.size() - 1) / (kMostBatches - 1)]);
  batches_ = std::move(kept);
}

void JobsTogether::describe(Problem& problem) const {
  problem.arrival_rate_hz = rate_hz_;
  problem.inference_batch_sizes.clear();
  SeveralJobs several;
  several.jobs = static_cast<int>(jobs_.size());
  several.tightest_budget_ms = std::numeric_limits<double>::infinity();
  bool any_hopeless = false;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    any_hopeless = any_hopeless || !collectable(j);
    several.tightest_budget_ms = std::min(several.tightest_budget_ms, jobs_[j].latency_budget_ms);
  }
  several.tightest_budget_ms -= margin_ms_;
  const auto shares = usual_shares();
  for (const auto& batch : batches_) {
    problem.inference_batch_sizes.push_back(batch.all);
    several.batches.push_back(expectation_of(batch, shares));
  }
  problem.several = std::move(several);
  // Every deadline is kept where t <= W: that alone rules out.
  problem.latency_budget_ms = any_hopeless ? batches_.front().window_ms : 2 * batches_.back().window_ms;
}

const JobsTogether::Batch& JobsTogether::batch_of(int batch_size) const {
  return *std::lower_bound(batches_.begin(), batches_.end(), batch_size,
                           [](const Batch& batch, int size) { return batch.all < size; });
}

const std::vector<int>& JobsTogether::sizes_of(int batch_size) const {
  return batch_of(batch_size).sizes;
}

ProfileSet JobsTogether::profiles() const {
  ProfileSet all;
  const auto& first = jobs_.front().profiles;
  for (auto it = first.begin(WorkloadTask::inference); it != first.end(); ++it) {
    const auto& mode = it->second.mode;
    for (const auto& batch : batches_) {
      if (batch.sizes.front() != it->second.batch_size) continue;
      std::vector<Profile> of_jobs;
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        const auto* profile = jobs_[j].profiles.find(WorkloadTask::inference, mode, batch.sizes[j]);
        if (profile != nullptr) of_jobs.push_back(*profile);
      }
      if (of_jobs.size() == jobs_.size()) (void)all.add(together(batch.all, of_jobs));
    }
  }
  return all;
}

Profile JobsTogether::together(int batch_size, const std::vector<Profile>& of_jobs) const {
  const auto& batch = batch_of(batch_size);
  Profile all = of_jobs.front();
  all.batch_size = batch_size;
  all.p50_ms = 0;
  all.p99_ms = 0;
  Profile::Together more;
  std::vector<double> steps_ms;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const double often = batch.window_ms / window_ms(j, batch.sizes[j]);
    all.p50_ms += often * of_jobs[j].p50_ms;
    all.p99_ms += often * of_jobs[j].p99_ms;
    all.power_w = std::max(all.power_w, of_jobs[j].power_w);
    all.measurements = std::min(all.measurements, of_jobs[j].measurements);
    more.one_of_each_ms += of_jobs[j].p99_ms;
    steps_ms.push_back(of_jobs[j].p99_ms);
  }
  more.due_ms = batch.window_ms * worst_of(batch, steps_ms);
  all.together = more;
  return all;
}

// The largest part of the time before a deadline that is needed, of the jobs that can keep theirs at all.
double JobsTogether::worst_of(const Batch& batch, const std::vector<double>& steps_ms) const {
  std::vector<UrgentTask> tasks;
  tasks.reserve(jobs_.size());
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const double window = window_ms(j, batch.sizes[j]);
    tasks.push_back({window, steps_ms[j], jobs_[j].latency_budget_ms - window});
  }
  const auto bound = demand_bound(tasks);
  double worst = bound.demand;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    if (collectable(j)) worst = std::max(worst, bound.worst[j]);
  }
  return worst;
}

// Of each job, the part of the demand that is its own in what has been measured.
std::vector<double> JobsTogether::usual_shares() const {
  std::vector<double> shares;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const auto& profiles = jobs_[j].profiles;
    double sum_of_logs = 0;
    int count = 0;
    for (auto it = profiles.begin(WorkloadTask::inference); it != profiles.end(); ++it, ++count)
      sum_of_logs += std::log(it->second.p99_ms / window_ms(j, it->second.batch_size));
    if (count == 0) return std::vector<double>(jobs_.size(), 1.0 / static_cast<double>(jobs_.size()));
    shares.push_back(std::exp(sum_of_logs / count));
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (auto& share : shares)
    share /= sum;
  return shares;
}

// The bound grows in proportion to the steps, so that it tells for any demand how much more there may be.
SeveralJobs::Batch JobsTogether::expectation_of(const Batch& batch, const std::vector<double>& shares) const {
  constexpr double kDemand = .5;
  std::vector<double> steps_ms;
  double one_of_each_ms = 0;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    steps_ms.push_back(kDemand * shares[j] * window_ms(j, batch.sizes[j]));
    one_of_each_ms += steps_ms.back();
  }
  const double step_ms = kDemand * batch.window_ms;
  return {step_ms / worst_of(batch, steps_ms), one_of_each_ms / step_ms};
}

}  // namespace fulcrum::scheduler

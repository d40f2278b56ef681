#pragma once
// Several inference jobs searched for as if they were one, so that every strategy can (searches.md section 1,
// concurrent inferences).
//
// Batches: a size for each job. They are ordered from all the smallest to all the largest; each next one has
// a job collect for a larger part of its latency budget. As one batch it is as large as all of them together,
// arrives every W = 1000 sum b_j / sum a_j ms, and takes W sum t_j / w_j of the device, its demand in that
// time. For one job these are b, w and t_in.
//
// What one job would be asked, w + t_in <= L and t_in <= w, is the demand bound here (demand_bound.h): no
// deadline may need more than all of the time before it.

#include <functional>
#include <vector>

#include "scheduler/problem.h"
#include "scheduler/profile.h"

namespace fulcrum::scheduler {

struct UrgentJob {
  double arrival_rate_hz = 0;
  double latency_budget_ms = 0;
  std::vector<int> batch_sizes;  // allowed, ascending; not empty
  ProfileSet profiles;           // of its inference
};

class JobsTogether {
 public:
  explicit JobsTogether(std::vector<UrgentJob> jobs, double margin_ms = 0);

  // What the problem asks of inference. If one of the jobs has a budget in which not even its smallest batch
  // can be collected, there is no possible batch size.
  void describe(Problem& problem) const;

  // The size of each job's batch in one of the batches of all. The size must be one of describe().
  const std::vector<int>& sizes_of(int batch_size) const;

  // Of each batch in each mode in which every job has been measured with its size.
  ProfileSet profiles() const;

  // What the jobs are together, from one profile of each, all in the same mode, with sizes_of(batch_size).
  Profile together(int batch_size, const std::vector<Profile>& of_jobs) const;

 private:
  struct Batch {
    std::vector<int> sizes;  // of each job
    int all = 0;             // their sum
    double window_ms = 0;
  };

  double window_ms(std::size_t job, int size) const { return 1000.0 * size / jobs_[job].arrival_rate_hz; }
  bool collectable(std::size_t job) const;
  void order_batches();
  void thin_out();
  const Batch& batch_of(int batch_size) const;
  double worst_of(const Batch& batch, const std::vector<double>& steps_ms) const;
  std::vector<double> usual_shares() const;
  SeveralJobs::Batch expectation_of(const Batch& batch, const std::vector<double>& shares) const;

  std::vector<UrgentJob> jobs_;
  double margin_ms_;
  double rate_hz_ = 0;  // of all
  std::vector<Batch> batches_;
};

}  // namespace fulcrum::scheduler

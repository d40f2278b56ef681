#pragma once
// The jobs that a power mode is searched for: the oldest training job, and every inference job; several of
// those are taken together (scheduler/jobs_together.h). To a strategy they are one problem with one set of
// profiles; here its measurements are those of the jobs.

#include <optional>
#include <string>
#include <vector>

#include "daemon/planning.h"
#include "scheduler/jobs_together.h"

namespace fulcrum::daemon {

class SearchedJobs {
 public:
  // Which must outlive it. Inference jobs that could not be measured at all are left out, unless all are.
  SearchedJobs(const PlannedJobs& jobs, double margin_ms, const Unmeasurable& unmeasurable);

  bool contains(const PlannedJob& job) const;
  // False: there is but one inference job, or none.
  bool leave_out_youngest_inference();

  scheduler::Problem problem(const PlanningRules& rules) const;
  const scheduler::ProfileSet& profiles() const { return profiles_; }

  // What a measurement consists of: one of each job that it is of.
  struct Part {
    const PlannedJob* job = nullptr;
    scheduler::Measure measure;

    const scheduler::Profile* known() const;
  };
  std::vector<Part> parts_of(const scheduler::Measure& measure) const;

  // What it gives where the jobs that have not been measured are as slow as they can be. None: of one of them
  // nothing is known.
  std::optional<scheduler::Profile> assumed(const scheduler::Measure& measure) const;

  // Why none of the batches of a job can be collected inside its budget; empty: there is no such job, or just
  // one inference job, which the problem then says it of.
  std::string why_hopeless() const;

 private:
  void take_together();

  double margin_ms_;
  const PlannedJob* training_ = nullptr;
  std::vector<const PlannedJob*> inference_;  // ascending by age
  std::optional<scheduler::JobsTogether> together_;
  scheduler::ProfileSet profiles_;
};

}  // namespace fulcrum::daemon

#include "daemon/settled_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/job_steps.h"

namespace fulcrum::daemon {

namespace {

using scheduler::Measure;
using scheduler::Plan;
using scheduler::PlanRequest;
using scheduler::Profile;
using scheduler::Settlement;

std::string why_infeasible(const scheduler::Infeasible& infeasible) {
  std::string text = infeasible.reason;
  if (infeasible.power_budget_w)
    text += fmt::format("; a power budget of {:.1f} W would do", infeasible.power_budget_w->value);
  if (infeasible.latency_budget_ms)
    text += fmt::format("; a latency budget of {:.1f} ms would do", infeasible.latency_budget_ms->value);
  return text;
}

class SettledPlan {
 public:
  SettledPlan(const PlannedJobs& jobs, const PlanningRules& rules, const SearchedJobs& searched)
      : jobs_(jobs), rules_(rules), searched_(searched) {}

  Plan plan(const Settlement& settlement) const {
    const auto mode = settlement.mode();
    std::vector<std::string> notes;
    PlanRequest request;
    request.margin_ms = rules_.margin_ms;
    if (settlement.infeasible) notes.push_back(why_infeasible(*settlement.infeasible));
    if (mode) {
      add_inference({WorkloadTask::inference, *mode, batch_size(settlement)}, request, notes);
      if (settlement.choice) {
        add_training(*mode, request, notes);
      } else {
        note_waiting_trainings(notes);
      }
    }
    Plan plan = scheduler::make_managed_plan(request);
    plan.mode = mode;
    plan.power_budget_w = rules_.power_budget_w;
    if (mode) plan.expected_power_w = expected_power_w(settlement, plan);
    plan.notes = std::move(notes);
    return plan;
  }

 private:
  // Of the job in the plan that draws most, which may be one that the mode was not searched for.
  double expected_power_w(const Settlement& settlement, const Plan& plan) const {
    double most_w = settlement.choice ? settlement.choice->power_w : settlement.instead->power_w;
    for (const auto& share : plan.inference) {
      const auto& profiles = jobs_.at(share.job).profiles;
      if (const auto* profile = profiles.find(WorkloadTask::inference, *plan.mode, share.batch_size))
        most_w = std::max(most_w, profile->power_w);
    }
    for (const auto& share : plan.training)
      most_w = std::max(most_w, training_profile(jobs_.at(share.job), *plan.mode)->power_w);
    return most_w;
  }

  static int batch_size(const Settlement& settlement) {
    return settlement.choice ? settlement.choice->batch_size : settlement.instead->batch_size;
  }

  // With the batch of each that was chosen.
  void add_inference(const Measure& chosen, PlanRequest& request, std::vector<std::string>& notes) const {
    std::map<const PlannedJob*, const Profile*> of_chosen;
    if (chosen.batch_size > 0) {
      for (const auto& part : searched_.parts_of(chosen))
        of_chosen[part.job] = part.known();
    }
    for (const auto& [id, job] : jobs_) {
      if (job.spec.inference() == nullptr) continue;
      auto times = measured_times(job, chosen.mode);
      if (const auto found = of_chosen.find(&job); found != of_chosen.end() && found->second != nullptr)
        times = {step_time(*found->second)};
      if (times.empty() && job.live) {  // whoever is being answered is not dropped for want of a probe
        times = measured_or_bounded_times(job, chosen.mode);
        if (!times.empty())
          notes.push_back(fmt::format("'{}' is served by an estimate of its steps", job.spec.name));
      }
      if (!searched_.contains(job)) note_power(job, chosen.mode, notes);
      if (times.empty()) {
        notes.push_back(
            fmt::format("'{}' is not served: it could not be measured in this mode", job.spec.name));
        continue;
      }
      request.inference.push_back(demand_of(job, std::move(times)));
    }
  }

  // Requests are answered whatever it costs.
  void note_power(const PlannedJob& job, const PowerMode& mode, std::vector<std::string>& notes) const {
    const auto* profile = job.profiles.covering(WorkloadTask::inference, mode, 1);
    if (profile == nullptr || !rules_.power_budget_w) return;
    if (profile->power_w > *rules_.power_budget_w)
      notes.push_back(fmt::format("'{}' draws {:.1f} W in this mode", job.spec.name, profile->power_w));
  }

  void add_training(const PowerMode& mode, PlanRequest& request, std::vector<std::string>& notes) const {
    for (const auto& [id, job] : jobs_) {
      if (job.spec.training() == nullptr) continue;
      const auto* profile = training_profile(job, mode);
      if (profile == nullptr) {
        notes.push_back(
            fmt::format("'{}' does not train: it could not be measured in this mode", job.spec.name));
      } else if (rules_.power_budget_w && profile->power_w > *rules_.power_budget_w) {
        notes.push_back(fmt::format("'{}' does not train: it would draw {:.1f} W in this mode", job.spec.name,
                                    profile->power_w));
      } else {
        request.training.push_back({id, job.spec.name, step_time(*profile)});
      }
    }
  }

  void note_waiting_trainings(std::vector<std::string>& notes) const {
    for (const auto& [id, job] : jobs_) {
      if (job.spec.training() != nullptr)
        notes.push_back(
            fmt::format("'{}' does not train: it waits for budgets that allow it", job.spec.name));
    }
  }

  const PlannedJobs& jobs_;
  const PlanningRules& rules_;
  const SearchedJobs& searched_;
};

}  // namespace

Plan settled_plan(const PlannedJobs& jobs, const PlanningRules& rules, const SearchedJobs& searched,
                  const Settlement& settlement) {
  return SettledPlan(jobs, rules, searched).plan(settlement);
}

}  // namespace fulcrum::daemon

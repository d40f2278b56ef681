#include "daemon/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "daemon/job_steps.h"
#include "daemon/searched_jobs.h"
#include "daemon/settled_plan.h"
#include "scheduler/exploration.h"
#include "scheduler/step_bound.h"

namespace fulcrum::daemon {

namespace {

using scheduler::Measure;
using scheduler::Plan;
using scheduler::PlanRequest;
using scheduler::Problem;
using scheduler::ProblemKind;
using scheduler::Profile;
using scheduler::ProfileSet;
using scheduler::Settlement;

// A budget that is missed anyway must not keep the device for itself: twice what it takes.
void relax(scheduler::InferenceDemand& demand) {
  const auto& smallest = demand.step_times.front();
  const double takes_ms = 1000.0 * smallest.batch_size / demand.arrival_rate_hz + smallest.p99_ms;
  demand.latency_budget_ms = std::max(demand.latency_budget_ms, 2 * takes_ms);
}

// The time that the kept budgets of the live jobs leave for one step of something else.
double gap_ms(const Plan& plan, const PlannedJobs& jobs) {
  double batches_ms = 0;
  for (const auto& share : plan.inference)
    batches_ms += scheduler::step_time_for(share.step_times, share.batch_size).p99_ms;
  double gap = std::numeric_limits<double>::infinity();
  for (const auto& share : plan.inference) {
    if (jobs.at(share.job).kept) gap = std::min(gap, share.latency_budget_ms - plan.margin_ms - batches_ms);
  }
  return gap;
}

bool breaks_no_budget(const Plan& plan, const PlannedJobs& jobs) {
  return std::all_of(plan.inference.begin(), plan.inference.end(), [&jobs](const auto& share) {
    return share.warning.empty() || !jobs.at(share.job).kept;
  });
}

// With a budget in which no batch can be collected a search would end before it has measured anything.
// Requests are answered all the same, so it is asked how soon that can be.
Problem searchable(Problem problem) {
  if (!problem.infers() || !scheduler::possible_batch_sizes(problem).empty()) return problem;
  problem.kind = ProblemKind::infer;
  problem.latency_budget_ms += problem.window_ms(problem.inference_batch_sizes.front());
  return problem;
}

class Planning {
 public:
  Planning(const PlannedJobs& jobs, const PlanningRules& rules, const Unmeasurable& unmeasurable)
      : jobs_(jobs),
        rules_(rules),
        unmeasurable_(unmeasurable),
        searched_(jobs, rules.margin_ms, unmeasurable) {}

  // What is over the power budget with every mode that is known must find another, even if requests have to
  // wait for a probe meanwhile.
  Move next() {
    Move move = next_that_spares_budgets();
    const auto* settled = std::get_if<SettleIn>(&move);
    if (settled == nullptr || !is_over_power(settled->settlement)) return move;
    spares_budgets_ = false;
    stand_ins_ = {};
    return next_that_spares_budgets();
  }

  Exploration explore() {
    const Problem searched = searchable(searched_.problem(rules_));
    ProfileSet walked = searched_.profiles();
    while (true) {
      auto next = scheduler::next_exploration(searched, rules_.adviser, walked);
      if (auto* unadvised = std::get_if<scheduler::Unadvised>(&next)) return std::move(*unadvised);
      const auto* measure = std::get_if<Measure>(&next);
      if (measure == nullptr) return scheduler::NothingMore{};
      if (auto probe = probe_for(*measure)) return *std::move(probe);
      if (!assume(*measure)) return scheduler::NothingMore{};
      walked.take_over(stand_ins_);
    }
  }

  // Where the jobs have no mode in which all of them are known, or none inside the power budget, the youngest
  // do not count.
  SettleIn settle_now(const std::optional<PowerMode>& stay = std::nullopt) const {
    SearchedJobs settling = searched_;
    std::optional<SettleIn> over_power;
    while (true) {
      const Problem problem = settling.problem(rules_);
      auto settlement = stay ? scheduler::settle(problem, settling.profiles().in_mode(*stay))
                             : scheduler::settle(problem, settling.profiles(), rules_.running);
      const bool will_do = settlement.mode() && !is_over_power(settlement);
      SettleIn settled = settle_in(settling, std::move(settlement));
      if (will_do) return settled;
      if (!over_power && settled.plan.mode) over_power = settled;
      if (!settling.leave_out_youngest_inference()) return over_power.value_or(std::move(settled));
    }
  }

 private:
  Move next_that_spares_budgets() {
    const Problem searched = searchable(searched_.problem(rules_));
    while (true) {
      auto decision =
          scheduler::decide(searched, rules_.adviser, searched_.profiles(), stand_ins_, rules_.limits);
      if (auto* unadvised = std::get_if<scheduler::Unadvised>(&decision)) return std::move(*unadvised);
      const auto* measure = std::get_if<Measure>(&decision);
      if (measure == nullptr) break;
      if (auto probe = probe_for(*measure)) return *std::move(probe);
      if (is_known(*measure)) break;  // it was to be confirmed
      if (assume(*measure)) continue;
      if (auto probe = first_probe(*measure)) return *std::move(probe);
      break;
    }
    auto settled = settle_now();
    if (auto other = probe_of_others(settled.settlement)) return *std::move(other);
    return settled;
  }

  bool is_over_power(const Settlement& settlement) const {
    return settlement.instead && rules_.power_budget_w &&
           settlement.instead->power_w > *rules_.power_budget_w;
  }

  bool is_known(const Measure& m) const {
    return searched_.profiles().find(m.task, m.mode, m.batch_size) != nullptr;
  }

  bool is_unmeasurable(JobId job, const Measure& m) const {
    return unmeasurable_.count({job, {m.task, m.mode, m.batch_size}}) > 0;
  }

  // None: it cannot be measured, or not without breaking the budget of a live job.
  std::optional<TakeProbe> probe_for(const Measure& measure) const {
    auto parts = searched_.parts_of(measure);
    if (std::any_of(parts.begin(), parts.end(),
                    [this](const auto& part) { return is_unmeasurable(part.job->id, part.measure); }))
      return std::nullopt;
    const auto measurements = [](const SearchedJobs::Part& part) {
      const auto* known = part.known();
      return known != nullptr ? known->measurements : 0;
    };
    std::stable_sort(parts.begin(), parts.end(), [&measurements](const auto& a, const auto& b) {
      return measurements(a) < measurements(b);
    });
    const bool is_to_be_confirmed = is_known(measure);
    for (const auto& part : parts) {
      if (part.known() != nullptr && !is_to_be_confirmed) break;
      if (auto probe = probe_for(*part.job, part.measure)) return probe;
    }
    return std::nullopt;
  }

  std::optional<TakeProbe> probe_for(const PlannedJob& job, const Measure& measure) const {
    if (is_unmeasurable(job.id, measure)) return std::nullopt;
    auto probe = safe_probe(job, measure);
    if (!probe) return std::nullopt;
    if (auto first = probe_of_neighbours(job, measure, probe->meanwhile)) return first;
    return probe;
  }

  // With nothing known of the task there are no bounds to walk on with. It is tried where the board would
  // settle without it, or else where those who wait for answers are left most time.
  std::optional<TakeProbe> first_probe(const Measure& measure) const {
    const auto mode = settle_now().plan.mode.value_or(rules_.grid.highest());
    return probe_for({measure.task, mode, measure.batch_size});
  }

  std::optional<TakeProbe> safe_probe(const PlannedJob& job, const Measure& measure) const {
    TakeProbe probe{job.id, measure, 0, plan_meanwhile(jobs_, measure.mode, rules_.margin_ms)};
    const bool must_spare = spares_budgets_ || measure.task == WorkloadTask::training;
    if (must_spare && !breaks_no_budget(probe.meanwhile, jobs_)) return std::nullopt;
    if (const auto bound =
            scheduler::step_bound_ms(job.profiles, measure.task, measure.mode, measure.batch_size)) {
      probe.step_bound_ms = *bound;
      if (must_spare && *bound > gap_ms(probe.meanwhile, jobs_)) return std::nullopt;
    }
    return probe;
  }

  // What live jobs draw in the mode has to be known to find out what another draws beside them.
  std::optional<TakeProbe> probe_of_neighbours(const PlannedJob& probed, const Measure& measure,
                                               const Plan& meanwhile) const {
    for (const auto& share : meanwhile.inference) {
      const auto& job = jobs_.at(share.job);
      const Measure own{WorkloadTask::inference, measure.mode, share.batch_size};
      if (&job == &probed || !measured_times(job, measure.mode).empty() || is_unmeasurable(job.id, own))
        continue;
      if (auto probe = safe_probe(job, own)) return probe;
    }
    return std::nullopt;
  }

  // The search walks on as if the mode were as slow as it can be. False: nothing is known to assume.
  bool assume(const Measure& measure) {
    const auto profile = searched_.assumed(measure);
    return profile && stand_ins_.add(*profile).has_value();
  }

  // The jobs that the mode was not searched for.
  std::optional<TakeProbe> probe_of_others(const Settlement& settlement) const {
    const auto mode = settlement.mode();
    if (!mode) return std::nullopt;
    for (const auto& [id, job] : jobs_) {
      if (searched_.contains(job)) continue;
      const bool trains = job.spec.training() != nullptr;
      if (trains && !settlement.choice) continue;  // nobody trains
      const auto sizes = trains ? job.spec.batch_sizes() : usable_batch_sizes(*job.spec.inference());
      for (const int size : sizes) {
        const Measure measure{trains ? WorkloadTask::training : WorkloadTask::inference, *mode, size};
        if (job.profiles.find(measure.task, *mode, size) != nullptr) continue;
        if (auto probe = probe_for(job, measure)) return probe;
      }
    }
    return std::nullopt;
  }

  SettleIn settle_in(const SearchedJobs& settling, Settlement settlement) const {
    if (const auto why = settling.why_hopeless(); settlement.infeasible && !why.empty())
      settlement.infeasible->reason = why;
    if (settlement.choice) name_profiles(settling, *settlement.choice);
    SettleIn settled{std::move(settlement), {}};
    settled.plan = settled_plan(jobs_, rules_, settling, settled.settlement);
    return settled;
  }

  // Those of jobs in place of those of several together.
  static void name_profiles(const SearchedJobs& settling, scheduler::Choice& choice) {
    std::vector<Profile> named;
    for (const auto& profile : choice.profiles) {
      for (const auto& part : settling.parts_of({profile.task, profile.mode, profile.batch_size}))
        named.push_back(*part.known());
    }
    choice.profiles = std::move(named);
  }

  const PlannedJobs& jobs_;
  const PlanningRules& rules_;
  const Unmeasurable& unmeasurable_;
  const SearchedJobs searched_;
  ProfileSet stand_ins_;
  bool spares_budgets_ = true;
};

}  // namespace

Move next_move(const PlannedJobs& jobs, const PlanningRules& rules, const Unmeasurable& unmeasurable) {
  return Planning(jobs, rules, unmeasurable).next();
}

Exploration next_exploration(const PlannedJobs& jobs, const PlanningRules& rules,
                             const Unmeasurable& unmeasurable) {
  return Planning(jobs, rules, unmeasurable).explore();
}

Problem searched_problem(const PlannedJobs& jobs, const PlanningRules& rules) {
  return SearchedJobs(jobs, rules.margin_ms, {}).problem(rules);
}

std::size_t known_profiles(const PlannedJobs& jobs, const Unmeasurable& unmeasurable) {
  return SearchedJobs(jobs, 0, unmeasurable).profiles().size();
}

SettleIn settle_now(const PlannedJobs& jobs, const PlanningRules& rules,
                    const std::optional<PowerMode>& stay) {
  return Planning(jobs, rules, {}).settle_now(stay);
}

Plan plan_in_fixed_mode(const PlannedJobs& jobs, const PowerMode& mode, double margin_ms) {
  PlanRequest request;
  request.margin_ms = margin_ms;
  for (const auto& [id, job] : jobs) {
    if (job.step_times.empty()) continue;
    if (job.spec.inference() != nullptr) {
      request.inference.push_back(demand_of(job, job.step_times));
    } else {
      request.training.push_back({id, job.spec.name, job.step_times.front()});
    }
  }
  Plan plan = scheduler::make_managed_plan(request);
  plan.mode = mode;
  return plan;
}

Plan plan_meanwhile(const PlannedJobs& jobs, const PowerMode& mode, double margin_ms) {
  PlanRequest request;
  request.margin_ms = margin_ms;
  for (const auto& [id, job] : jobs) {
    if (job.spec.inference() == nullptr || !job.live) continue;
    auto times = measured_or_bounded_times(job, mode);
    if (times.empty()) continue;
    request.inference.push_back(demand_of(job, std::move(times)));
    if (!job.kept) relax(request.inference.back());
  }
  Plan plan = scheduler::make_managed_plan(request);
  plan.mode = mode;
  return plan;
}

}  // namespace fulcrum::daemon

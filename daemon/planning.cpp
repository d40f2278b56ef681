#include "daemon/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

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

const PlannedJob* oldest(const PlannedJobs& jobs, WorkloadTask task) {
  for (const auto& [id, job] : jobs) {
    if ((job.spec.training() != nullptr) == (task == WorkloadTask::training)) return &job;
  }
  return nullptr;
}

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

std::string why_infeasible(const scheduler::Infeasible& infeasible) {
  std::string text = infeasible.reason;
  if (infeasible.power_budget_w)
    text += fmt::format("; a power budget of {:.1f} W would do", infeasible.power_budget_w->value);
  if (infeasible.latency_budget_ms)
    text += fmt::format("; a latency budget of {:.1f} ms would do", infeasible.latency_budget_ms->value);
  return text;
}

class Planning {
 public:
  Planning(const PlannedJobs& jobs, const PlanningRules& rules, const Unmeasurable& unmeasurable)
      : jobs_(jobs),
        rules_(rules),
        unmeasurable_(unmeasurable),
        training_(oldest(jobs, WorkloadTask::training)),
        inference_(oldest(jobs, WorkloadTask::inference)) {
    if (training_ != nullptr) profiles_.take_over(training_->profiles);
    if (inference_ != nullptr) profiles_.take_over(inference_->profiles);
  }

  Move next() {
    const Problem searched = searchable(problem());
    while (true) {
      auto decision = scheduler::decide(searched, rules_.adviser, profiles_, stand_ins_, rules_.limits);
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

  Exploration explore() {
    const Problem searched = searchable(problem());
    ProfileSet walked = profiles_;
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

  SettleIn settle_now(const std::optional<PowerMode>& stay = std::nullopt) const {
    if (stay) return settle_in(scheduler::settle(problem(), profiles_.in_mode(*stay)));
    return settle_in(scheduler::settle(problem(), profiles_, rules_.running));
  }

 private:
  Problem problem() const {
    Problem problem;
    problem.grid = rules_.grid;
    problem.power_budget_w = rules_.power_budget_w;
    problem.noise = rules_.noise;
    problem.profiles_at_start = rules_.known_at_start.value_or(profiles_.size());
    if (training_ != nullptr) problem.training_batch_size = training_->spec.training()->batch_size;
    if (inference_ != nullptr) {
      const auto& spec = *inference_->spec.inference();
      problem.kind = training_ != nullptr ? ProblemKind::concurrent : ProblemKind::infer;
      problem.latency_budget_ms = spec.latency_budget_ms;
      problem.arrival_rate_hz = spec.arrival_rate_hz;
      problem.inference_batch_sizes = spec.batch_sizes;
    }
    return problem;
  }

  bool is_known(const Measure& m) const { return profiles_.find(m.task, m.mode, m.batch_size) != nullptr; }

  bool is_unmeasurable(JobId job, const Measure& m) const {
    return unmeasurable_.count({job, {m.task, m.mode, m.batch_size}}) > 0;
  }

  // None: it cannot be measured, or not without breaking the budget of a live job.
  std::optional<TakeProbe> probe_for(const Measure& measure) const {
    return probe_for(measure.task == WorkloadTask::training ? *training_ : *inference_, measure);
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
    if (!breaks_no_budget(probe.meanwhile, jobs_)) return std::nullopt;
    if (const auto bound =
            scheduler::step_bound_ms(job.profiles, measure.task, measure.mode, measure.batch_size)) {
      probe.step_bound_ms = *bound;
      if (*bound > gap_ms(probe.meanwhile, jobs_)) return std::nullopt;
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
    const auto bound = scheduler::step_bound_ms(profiles_, measure.task, measure.mode, measure.batch_size);
    if (!bound) return false;
    double power_w = std::numeric_limits<double>::infinity();
    for (auto it = profiles_.begin(measure.task); it != profiles_.end() && it->second.task == measure.task;
         ++it) {
      power_w = std::min(power_w, it->second.power_w);
    }
    return stand_ins_.add({measure.task, measure.mode, measure.batch_size, *bound, *bound, power_w})
        .has_value();
  }

  // The jobs that the mode was not searched for.
  std::optional<TakeProbe> probe_of_others(const Settlement& settlement) const {
    const auto mode = settlement.mode();
    if (!mode) return std::nullopt;
    for (const auto& [id, job] : jobs_) {
      if (&job == training_ || &job == inference_) continue;
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

  SettleIn settle_in(Settlement settlement) const {
    SettleIn settled{std::move(settlement), {}};
    settled.plan = plan_of(settled.settlement);
    return settled;
  }

  Plan plan_of(const Settlement& settlement) const {
    const auto mode = settlement.mode();
    std::vector<std::string> notes;
    PlanRequest request;
    request.margin_ms = rules_.margin_ms;
    if (settlement.infeasible) notes.push_back(why_infeasible(*settlement.infeasible));
    if (mode) {
      add_inference(*mode, batch_size(settlement), request, notes);
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

  void add_inference(const PowerMode& mode, int batch_size, PlanRequest& request,
                     std::vector<std::string>& notes) const {
    for (const auto& [id, job] : jobs_) {
      if (job.spec.inference() == nullptr) continue;
      auto times = measured_times(job, mode);
      if (&job == inference_) {
        const auto* chosen = job.profiles.find(WorkloadTask::inference, mode, batch_size);
        if (chosen != nullptr) times = {step_time(*chosen)};
      }
      if (times.empty() && job.live) {  // whoever is being answered is not dropped for want of a probe
        times = measured_or_bounded_times(job, mode);
        if (!times.empty())
          notes.push_back(fmt::format("'{}' is served by an estimate of its steps", job.spec.name));
      }
      note_power(job, mode, notes);
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
    if (&job == inference_ || profile == nullptr || !rules_.power_budget_w) return;
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
  const Unmeasurable& unmeasurable_;
  const PlannedJob* training_;
  const PlannedJob* inference_;
  ProfileSet profiles_;
  ProfileSet stand_ins_;
};

}  // namespace

Move next_move(const PlannedJobs& jobs, const PlanningRules& rules, const Unmeasurable& unmeasurable) {
  return Planning(jobs, rules, unmeasurable).next();
}

Exploration next_exploration(const PlannedJobs& jobs, const PlanningRules& rules,
                             const Unmeasurable& unmeasurable) {
  return Planning(jobs, rules, unmeasurable).explore();
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

#pragma once
// From the jobs that are loaded and what is known of them to the next move: a probe, with the plan that keeps
// requests answered meanwhile, or a mode to settle in, with the plan for it. Pure.
//
// The mode is searched for the oldest training job and all inference jobs (searched_jobs.h). Other training
// jobs are measured in the mode that was found, and share it.

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "common/job_spec.h"
#include "scheduler/decision.h"
#include "scheduler/plan.h"
#include "scheduler/planner.h"

namespace fulcrum::daemon {

// A job that the worker has loaded.
struct PlannedJob {
  JobId id = 0;
  JobSpec spec;
  scheduler::ProfileSet profiles;  // of its workload on this board, with what running it has taught
  std::vector<scheduler::StepTime> step_times;  // in a mode that is fixed
  scheduler::ProfileSet forgotten;  // good for bounds, when it is live and nothing else is known of it
  bool live = false;                // its requests are being answered: they must not wait for a search
  bool kept = true;                 // its latency budget can be kept, so that probes must not break it
};
using PlannedJobs = std::map<JobId, PlannedJob>;

struct PlanningRules {
  scheduler::Adviser adviser;
  scheduler::ModeGrid grid;
  std::optional<double> power_budget_w;  // that profiled powers have to keep
  double margin_ms = 0;
  scheduler::SearchLimits limits;
  scheduler::MeasurementNoise noise;
  std::optional<std::size_t> known_at_start;  // profiles, when the search began; none: it has not begun
  std::optional<scheduler::Running> running;  // what the board is settled in
};

// Of these no measurement could be had.
using Unmeasurable = std::set<std::pair<JobId, scheduler::ProfileSet::Key>>;

struct TakeProbe {
  JobId job = 0;
  scheduler::Measure measure;
  double step_bound_ms = 0;   // 0: nothing is known
  scheduler::Plan meanwhile;  // in the probe's mode, of the live jobs alone
};

struct SettleIn {
  scheduler::Settlement settlement;
  scheduler::Plan plan;  // without a mode when nothing is known of any
};

using Move = std::variant<TakeProbe, SettleIn, scheduler::Unadvised>;

// There is at least one job. Unadvised: the move is known once the adviser knows what it says to this.
Move next_move(const PlannedJobs& jobs, const PlanningRules& rules, const Unmeasurable& unmeasurable);

using Exploration = std::variant<TakeProbe, scheduler::NothingMore, scheduler::Unadvised>;

// The next probe for budgets that are not set yet (scheduler/exploration.h). NothingMore: nothing is left
// that is worth one, or can be measured without breaking the budget of a live job.
Exploration next_exploration(const PlannedJobs& jobs, const PlanningRules& rules,
                             const Unmeasurable& unmeasurable);

// What is searched for; and how much is known of it.
scheduler::Problem searched_problem(const PlannedJobs& jobs, const PlanningRules& rules);
std::size_t known_profiles(const PlannedJobs& jobs, const Unmeasurable& unmeasurable);

// From what is known alone; with `stay`, of that mode.
SettleIn settle_now(const PlannedJobs& jobs, const PlanningRules& rules,
                    const std::optional<PowerMode>& stay = std::nullopt);

// From the jobs' step times.
scheduler::Plan plan_in_fixed_mode(const PlannedJobs& jobs, const PowerMode& mode, double margin_ms);

// The plan that keeps the live jobs' requests answered in a mode: by what is measured in it, else by bounds
// on how slow it can be.
scheduler::Plan plan_meanwhile(const PlannedJobs& jobs, const PowerMode& mode, double margin_ms);

}  // namespace fulcrum::daemon

#pragma once
// What a job's steps take in a mode, as the planner wants it.

#include <vector>

#include "daemon/planning.h"
#include "scheduler/planner.h"

namespace fulcrum::daemon {

scheduler::StepTime step_time(const scheduler::Profile& profile);

// The allowed sizes whose requests can be collected inside the budget; else the smallest.
std::vector<int> usable_batch_sizes(const InferenceSpec& spec);

// Of an inference job with its usable batch sizes: what is measured, and what bounds tell of the rest.
std::vector<scheduler::StepTime> measured_times(const PlannedJob& job, const PowerMode& mode);
std::vector<scheduler::StepTime> measured_or_bounded_times(const PlannedJob& job, const PowerMode& mode);

scheduler::InferenceDemand demand_of(const PlannedJob& job, std::vector<scheduler::StepTime> times);

// Of a training job; null: it is not measured there.
const scheduler::Profile* training_profile(const PlannedJob& job, const PowerMode& mode);

}  // namespace fulcrum::daemon

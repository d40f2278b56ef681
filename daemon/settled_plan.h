#pragma once
// The plan for a mode that was settled in, with what has to be said about it.

#include "daemon/planning.h"
#include "daemon/searched_jobs.h"

namespace fulcrum::daemon {

scheduler::Plan settled_plan(const PlannedJobs& jobs, const PlanningRules& rules,
                             const SearchedJobs& searched, const scheduler::Settlement& settlement);

}  // namespace fulcrum::daemon

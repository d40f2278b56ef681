#pragma once
// Jobs and plans as the control socket and the log show them, and as the store keeps them.

#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "daemon/config.h"
#include "daemon/job_store.h"
#include "scheduler/plan.h"
#include "scheduler/profile.h"

namespace fulcrum::daemon {

Json summary_of(const JobRecord& record);  // {id, name, kind, state, submitted_ms, progress, error?}
Json details_of(const JobRecord& record);  // also {spec, started_ms, finished_ms}
Json event_of(const JobRecord& record,
              const std::string& event);  // {job, name, kind, event, state, progress, error?}

// One line for the log.
std::string describe(const scheduler::Plan& plan);

// The store's progress column also holds what the worker needs to go on, under the key "resume".
Json with_resume(Json progress, const Json& resume);
Json take_resume(JobRecord& record);  // null if there is none

// Step times measured lately in place of the planned ones; true if one of them has changed enough to plan
// anew. Batch sizes that are not planned with are passed over.
bool update_step_times(std::vector<scheduler::StepTime>& planned,
                       const std::vector<scheduler::StepTime>& recent);

// The same for profiles of a mode.
bool update_profiles(scheduler::ProfileSet& profiles, WorkloadTask task, const PowerMode& mode,
                     const std::vector<scheduler::StepTime>& recent);

// <state_dir>/checkpoints/<job>.
std::string checkpoint_directory(const DaemonConfig& config, JobId id);
// Made, if need be, and owned by the worker's user.
[[nodiscard]] Expected<std::string> make_checkpoint_directory(const DaemonConfig& config, JobId id);

}  // namespace fulcrum::daemon

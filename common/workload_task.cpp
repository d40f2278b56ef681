#include "common/workload_task.h"

#include <fmt/format.h>

namespace fulcrum {

std::string_view to_string(WorkloadTask task) {
  return task == WorkloadTask::training ? "training" : "inference";
}

Expected<WorkloadTask> parse_workload_task(std::string_view name) {
  for (const auto task : {WorkloadTask::training, WorkloadTask::inference}) {
    if (name == to_string(task)) return task;
  }
  return fail(ErrorCode::invalid_argument, fmt::format("'{}' is neither 'training' nor 'inference'", name));
}

}  // namespace fulcrum

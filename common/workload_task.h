#pragma once
// The two things that a model is run for.

#include <string_view>

#include "common/error.h"

namespace fulcrum {

enum class WorkloadTask { training, inference };

std::string_view to_string(WorkloadTask task);
[[nodiscard]] Expected<WorkloadTask> parse_workload_task(std::string_view name);

}  // namespace fulcrum

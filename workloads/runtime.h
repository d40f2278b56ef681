#pragma once
// What the workloads run on.

#include <string>

#include "common/error.h"
#include "common/job_spec.h"

namespace fulcrum::workloads {

std::string libtorch_version();
std::string device_name();  // "cpu" or "cuda"

// The device can do what the job wants of it. An error has its field, /precision.
[[nodiscard]] Expected<void> check_device(const JobSpec& spec);

}  // namespace fulcrum::workloads

#pragma once
// What the workloads run on.

#include <string>

namespace fulcrum::workloads {

std::string libtorch_version();
std::string device_name();  // "cpu" or "cuda"

}  // namespace fulcrum::workloads

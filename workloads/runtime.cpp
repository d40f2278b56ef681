#include "workloads/runtime.h"

#include <torch/version.h>

#include "workloads/device_turn.h"

namespace fulcrum::workloads {

std::string libtorch_version() {
  return TORCH_VERSION;
}

std::string device_name() {
  return best_device().is_cuda() ? "cuda" : "cpu";
}

}  // namespace fulcrum::workloads

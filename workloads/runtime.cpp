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

Expected<void> check_device(const JobSpec& spec) {
  const auto* training = spec.training();
  if (training == nullptr || training->optimization.precision != "mixed" || best_device().is_cuda())
    return {};
  auto error =
      fail(ErrorCode::unsupported,
           "mixed precision needs a CUDA device, and LibTorch finds none here: training runs on the CPU",
           "leave \"precision\" out");
  error.value().field = "/precision";
  return error;
}

}  // namespace fulcrum::workloads

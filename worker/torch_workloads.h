#pragma once
// The executor's workloads on LibTorch: workloads/ behind the interfaces of workload.h.

#include "common/clock.h"
#include "common/logging.h"
#include "worker/workload.h"

namespace fulcrum::worker {

// Of LibTorch, and the device that it uses: "cpu" or "cuda".
std::string torch_version();
std::string torch_device();

class TorchWorkloadFactory final : public WorkloadFactory {
 public:
  TorchWorkloadFactory(const Clock& clock, Logger log) : clock_(clock), log_(std::move(log)) {}

  [[nodiscard]] Expected<Build> load(const StartJob& start, std::function<void()> wake) override;
  bool device_takes_machine_memory() const override { return torch_device() == "cuda"; }

 private:
  [[nodiscard]] Expected<Build> load_training(const StartJob& start, std::function<void()> wake);
  [[nodiscard]] Expected<Build> load_inference(const StartJob& start);

  const Clock& clock_;
  Logger log_;
};

}  // namespace fulcrum::worker

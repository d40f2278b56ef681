#include "worker/pacer.h"

#include <algorithm>

namespace fulcrum::worker {

const PaceEntry& Pacer::entry_for(int n) const {
  for (const auto& entry : pace_->entries) {
    if (entry.batch_size >= n) return entry;
  }
  return pace_->entries.back();
}

namespace {
// Beyond this many medians a p99 tells of a busy machine, not of the step; such steps count as overruns.
constexpr double kNoise = 3;
}  // namespace

void Pacer::calibrate(const std::vector<scheduler::StepTime>& real) {
  if (!pace_) return;
  double kappa = 0;
  for (const auto& t : real) {
    const double step_ms = std::min(t.p99_ms, kNoise * t.p50_ms);
    kappa = std::max(kappa, step_ms / entry_for(t.batch_size).maxn_ms);
  }
  pace_->kappa = kappa;
}

double Pacer::target_ms(int n) const {
  if (!pace_ || !pace_->kappa) return 0;
  return *pace_->kappa * entry_for(n).mode_ms;
}

scheduler::StepTime Pacer::as_paced(scheduler::StepTime real) const {
  const double target = target_ms(real.batch_size);
  return {real.batch_size, std::max(real.p50_ms, target), std::max(real.p99_ms, target)};
}

void Pacer::account(int n, double real_ms) {
  if (calibrated() && pace_ && real_ms > target_ms(n)) ++overruns_;
}

}  // namespace fulcrum::worker

#pragma once
// Makes steps last as they would on the simulated board: max(real, kappa t_class(mode, b)). On a real board
// there is no pace, and nothing is stretched.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/plan.h"
#include "worker/protocol.h"

namespace fulcrum::worker {

class Pacer {
 public:
  explicit Pacer(std::optional<Pace> pace) : pace_(std::move(pace)) {}

  bool paced() const { return pace_.has_value(); }
  bool calibrated() const { return !pace_ || pace_->kappa.has_value(); }
  std::optional<double> kappa() const { return pace_ ? pace_->kappa : std::nullopt; }

  // Chooses kappa: the smallest for which the board's model at MAXN is at least the real p99 of every
  // measured size. A p99 of more than three medians counts as three medians.
  void calibrate(const std::vector<scheduler::StepTime>& real);

  // The board is in another mode. Nothing without a pace.
  void set_mode(std::vector<PaceEntry> entries) {
    if (pace_) pace_->entries = std::move(entries);
  }

  // How long a step of n samples has to last in the present mode; 0 without a pace or before calibration.
  double target_ms(int n) const;

  // What was really measured, as it lasts in the present mode.
  scheduler::StepTime as_paced(scheduler::StepTime real) const;

  // To be told of every step; counts those that took longer than the board's model allows.
  void account(int n, double real_ms);
  std::uint64_t overruns() const { return overruns_; }

 private:
  const PaceEntry& entry_for(int n) const;  // of the smallest batch that holds n; the largest if none does

  std::optional<Pace> pace_;
  std::uint64_t overruns_ = 0;
};

}  // namespace fulcrum::worker

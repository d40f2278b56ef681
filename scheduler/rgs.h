#pragma once
// RGS, roofline-guided search: ours, and the default (searches.md section 5; how it differs from that, in
// docs/searches.md). Bayesian optimisation whose surrogate of time and power has the shape that every
// workload has on such a board (roofline.h), so that a handful of probes tell nearly all; probed is what
// promises most improvement inside the budgets.
//
// train: EI of ln t. infer: EI of the latency, over modes and batch sizes. concurrent: EI of the policy's
// training throughput, over modes and batch sizes; a probe is of one of the two workloads, first the one
// that is likelier to break a budget.
//
// It ends when no probe promises enough: 1 % of what is known (train .7 %, concurrent .6 %, with slack .5 %),
// after eight probes (with slack 14) twice as much with every further four; and after 20 probes (concurrent
// 28). Of known profiles it uses the 80 nearest to the best that they hold.

#include <memory>

#include "scheduler/strategy.h"
#include "scheduler/workload_prior.h"

namespace fulcrum::scheduler {

inline constexpr std::string_view kRgsName = "rgs";

class RgsMemory;

class Rgs : public Strategy {
 public:
  explicit Rgs(const SearchPriors& priors);
  ~Rgs() override;

  std::string_view name() const override { return kRgsName; }
  // Remembers fits, so that it may be asked by one thread at a time.
  Step next(const Problem& problem, const ProfileSet& profiles) const override;

 private:
  std::unique_ptr<RgsMemory> memory_;
};

}  // namespace fulcrum::scheduler

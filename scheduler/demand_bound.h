#pragma once
// Do several inference jobs keep their latency budgets on one device? Each is a task of real-time theory: a
// full batch comes every window, takes a step and has a deadline. The slicer runs what is due first, and
// never interrupts a step: non-preemptive earliest deadline first.
//
// The demand bound: before a moment t of the busiest stretch there can fall
//   h(t) = sum over tasks of max(0, floor((t - D) / T) + 1) C  +  the longest step with a deadline after t
// of work, and every deadline is kept if h(t) <= t at each (Jeffay, Stanat, Martel 1991; with deadlines other
// than the period George, Rivierre, Spuri 1996).

#include <vector>

namespace fulcrum::scheduler {

struct UrgentTask {
  double period_ms = 0;    // T, positive
  double step_ms = 0;      // C, positive
  double deadline_ms = 0;  // D, from when the batch is full
};

struct DemandBound {
  double demand = 0;          // sum of C / T: the share of the device that is needed in the long run
  std::vector<double> worst;  // of each task, the largest h(t) / t at a deadline of its own
};

// A deadline that has passed before the batch is full: infinite. With a demand above 1 everything is late
// sooner or later; what `worst` says is then of the first windows.
DemandBound demand_bound(const std::vector<UrgentTask>& tasks);

}  // namespace fulcrum::scheduler

#pragma once
// How long a step can take at most in a mode that has not been measured: for probes that must not hold up
// requests which are being answered meanwhile.

#include <optional>

#include "scheduler/profile.h"

namespace fulcrum::scheduler {

// No step becomes slower than this factor from one mode to the other, at least 1: the work of each part (CPU,
// GPU, memory) takes time in inverse proportion to its clock, the CPU's also to its cores to the power of 1.1
// (in measured workloads up to 1.07), and the parts overlap or follow each other (the roofline of searches.md
// section 5).
double slowdown_bound(const PowerMode& from, const PowerMode& to);

// The least bound that the profiles of the task give; a batch takes at most so many times longer as it is
// larger. None when nothing of the task is profiled.
std::optional<double> step_bound_ms(const ProfileSet& profiles, WorkloadTask task, const PowerMode& mode,
                                    int batch_size);

}  // namespace fulcrum::scheduler

#pragma once
// The walk at the heart of GMD (searches.md section 2, steps 1 to 6), whatever workloads it is for.

#include <vector>

#include "scheduler/profile_path.h"

namespace fulcrum::scheduler {

struct GmdRules {
  bool trains = true;        // which workloads are profiled in each mode
  int inference_batch = 0;   // 0: no inference
  double least_power_w = 1;  // a slope over less power than this counts as none
  // Whether a new mode takes the first or the second place of its pair: by its own power, or by that of the
  // mode the step was made from.
  bool pair_by_power_before = false;
};

// One mode that the walk has come through.
struct Visit {
  PowerMode mode;
  const Profile* training = nullptr;
  const Profile* inference = nullptr;
};

// The modes in the order visited, each once. When path.ended() it is not complete.
std::vector<Visit> gmd_walk(const Problem& problem, const GmdRules& rules, ProfilePath& path);

}  // namespace fulcrum::scheduler

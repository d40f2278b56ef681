#pragma once
// What to measure first, when nothing is known of a workload.

#include "scheduler/workload_prior.h"

namespace fulcrum::scheduler {

// Number of the point that, measured, leaves least of the prior's uncertainty about time and power over all
// the points (searches.md section 5). Time grows with the square of their number: meant for a thousand.
Eigen::Index most_telling_point(const WorkloadPrior& prior, const SearchPoints& points);

}  // namespace fulcrum::scheduler

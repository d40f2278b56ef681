#pragma once
// What workloads on boards of one kind have in common, learned from those that were measured: a new one is
// then known better before its first probe.

#include <cstddef>
#include <vector>

#include "scheduler/profile.h"
#include "scheduler/workload_model.h"

namespace fulcrum::scheduler {

// Of fewer nothing is learned, and more tell hardly more.
inline constexpr std::size_t kLeastProfiles = 4;
inline constexpr std::size_t kMostProfiles = 40;
inline constexpr std::size_t kMostWorkloads = 16;

// `base`, moved towards what the parameters of the workloads are, and as wide as they are apart: a step of
// expectation maximisation of a normal hierarchy, in which the base counts as one workload. Parameters that
// the profiles do not tell stay as the base has them, and so do the priors of the residuals. Each set is of
// one workload; its training and its inference are learned from apart.
SearchPriors learned_priors(const SearchPriors& base, const std::vector<ProfileSet>& workloads,
                            const MeasurementNoise& noise);

}  // namespace fulcrum::scheduler

#pragma once
// The learner of strategies: what a workload takes and draws in modes in which it was not measured.
//
// First comes what physics says (physics.h) and a straight line through what it misses, then an ensemble of
// networks learns the rest: time, and after it power, which needs the time. All of it in logarithms, so that
// errors are proportions. Its spread is the ensemble's.

#include <memory>

#include "scheduler/learner.h"

namespace fulcrum::networks {

// May be used from any thread, one call at a time for each. Runs on that thread alone.
std::unique_ptr<scheduler::Learner> make_network_learner();

}  // namespace fulcrum::networks

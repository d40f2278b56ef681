#pragma once
// How much a probe promises: constrained expected improvement (searches.md section 5).

#include "scheduler/problem.h"

namespace fulcrum::scheduler {

// What is expected of the logarithm of a time or power: a normal distribution.
struct Belief {
  double mean = 0;
  double deviation = 0;
};

// Chance that the quantity is at most the limit.
double chance_below(const Belief& belief, double limit);

// E max(0, ln best - ln t): by what part of itself a training step is expected to become shorter.
double expected_saving(const Belief& time, double best_ms);

// E max(0, best - (w + t)) where t <= limit, in ms.
double expected_latency_gain(const Belief& time, double window_ms, double limit_ms, double best_ms);

// E max(0, f(t_tr, t_in) - best) in training minibatches per second, f what the problem's policy reaches with
// this batch size.
double expected_throughput_gain(const Problem& problem, int batch_size, const Belief& training,
                                const Belief& inference, double best_hz);

}  // namespace fulcrum::scheduler

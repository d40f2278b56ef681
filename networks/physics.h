#pragma once
// What the hardware is known to do, as sums of terms whose weights are not negative: a step waits for the
// CPU, the GPU and the memory, each in proportion to 1 / f; power is that of the clocks, and energy per
// minibatch times minibatches per second.

#include <vector>

#include "scheduler/learner.h"

namespace fulcrum::networks {

// f in GHz, b the batch size: 1, 1/f_c, 1/(n f_c), 1/f_g, 1/f_m, and each of them times b.
std::vector<double> time_terms(const scheduler::LearnerPoint& point);

// 1, f_m, f_c, f_c^2, n f_c, n f_c^2, f_g, f_g^2, f_g f_m, and r, r f_g^2, r f_m with r = b / t.
std::vector<double> power_terms(const scheduler::LearnerPoint& point, double time_ms);

using Rows = std::vector<std::vector<double>>;

// Weights for which the sum of the terms is nearest to the values, in proportion to them, all >= 0. There is
// at least one row; values are positive.
std::vector<double> fit_terms(const Rows& terms, const std::vector<double>& values);

// Weights of a straight line, the constant first, kept near 0 by `ridge` (but for the constant).
std::vector<double> fit_line(const Rows& inputs, const std::vector<double>& values, double ridge);

}  // namespace fulcrum::networks

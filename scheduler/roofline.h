#pragma once
// The shape that time and power of a step have on a Jetson, whatever the workload: a smooth roofline
// (searches.md section 5). f in GHz, time in ms, power in W.
//
//   A(b) = A0 + A1 b, and so C(b), G(b), M(b); training: b is the user's, and there are no "1" terms
//   q = 1 + exp(lq);  c = C(b) / f_c (4 / n)^k;  g = G(b) / f_g;  e = M(b) / f_m
//   t = A(b) + (c^q + g^q + e^q)^(1/q)
//   u = g / t
//   P = P0 + p_m f_m + p_c f_c^2 + p_n n f_c^2 + p_g u f_g^beta
//
// All parameters but k and beta are logarithms of what the formulas have.

#include <Eigen/Core>

#include "scheduler/search_points.h"

namespace fulcrum::scheduler::roofline {

// Parameters of time: A, C, G, M, lq, k without batch terms; A0, A1, C0, C1, G0, G1, M0, M1, lq, k with them.
inline constexpr Eigen::Index kTimeParameters = 6;
inline constexpr Eigen::Index kTimeParametersWithBatch = 10;
// P0, p_m, p_c, p_n, p_g, beta
inline constexpr Eigen::Index kPowerParameters = 6;

struct Values {
  Eigen::VectorXd log;       // of ms or W, per point
  Eigen::MatrixXd gradient;  // of that by the parameters
};

// With batch terms if theta has kTimeParametersWithBatch elements.
Values time(const Eigen::VectorXd& theta, const SearchPoints& points);

// u, the share of a step in which the GPU computes; `log_time` is that of time(), where it is known already.
Eigen::ArrayXd gpu_share(const Eigen::VectorXd& theta, const SearchPoints& points,
                         const Eigen::ArrayXd& log_time);
Eigen::ArrayXd gpu_share(const Eigen::VectorXd& theta, const SearchPoints& points);

Values power(const Eigen::VectorXd& theta, const SearchPoints& points, const Eigen::ArrayXd& gpu_share);

}  // namespace fulcrum::scheduler::roofline

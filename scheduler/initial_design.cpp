#include "scheduler/initial_design.h"

#include "scheduler/regression.h"

namespace fulcrum::scheduler {

namespace {

// By how much the sum of the variances falls when a point is measured, for each.
Eigen::ArrayXd reductions(const QuantityPrior& prior, const roofline::Values& at_mean,
                          const SearchPoints& points) {
  Eigen::MatrixXd c = covariance(prior.residual, points, points);
  c.noalias() += at_mean.gradient * prior.parameters.covariance * at_mean.gradient.transpose();
  const double noise = prior.residual.noise;
  return c.colwise().squaredNorm().transpose().array() / (c.diagonal().array() + noise * noise);
}

}  // namespace

Eigen::Index most_telling_point(const WorkloadPrior& prior, const SearchPoints& points) {
  const auto& time = prior.time.parameters.mean;
  const auto power = roofline::power(prior.power.parameters.mean, points, roofline::gpu_share(time, points));
  Eigen::Index best = 0;
  (reductions(prior.time, roofline::time(time, points), points) + reductions(prior.power, power, points))
      .maxCoeff(&best);
  return best;
}

}  // namespace fulcrum::scheduler

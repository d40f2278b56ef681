#include "scheduler/regression.h"

#include <algorithm>
#include <utility>

namespace fulcrum::scheduler {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostIterations = 25;
constexpr double kFirstDamping = .01;
constexpr double kDampingFactor = 5;
constexpr double kMostDamping = 1e6;
constexpr double kLongestStep = 1;
constexpr double kNoGain = 1e-6;
constexpr double kLeastVariance = 1e-6;
constexpr Index kBlock = 512;  // points predicted at once: what stays in the cache

}  // namespace

MatrixXd covariance(const ResidualPrior& prior, const SearchPoints& a, const SearchPoints& b) {
  const auto scaled = [&prior](const SearchPoints& p) -> MatrixXd {
    return (p.logs.rowwise() / prior.lengths * std::sqrt(3.0)).matrix();
  };
  const MatrixXd x = scaled(a);
  const MatrixXd z = scaled(b);
  const Eigen::ArrayXd x_squared = x.rowwise().squaredNorm();
  MatrixXd k = x * z.transpose();
  Eigen::ArrayXd r(x.rows());
  for (Index j = 0; j < z.rows(); ++j) {
    r = (x_squared + z.row(j).squaredNorm() - 2 * k.col(j).array()).max(0).sqrt();
    k.col(j) = (prior.deviation * prior.deviation * (1 + r) * (-r).exp()).matrix();
  }
  return k;
}

Regression::Regression(MeanFunction mean, const QuantityPrior& prior, SearchPoints points,
                       const VectorXd& log_values, const VectorXd& deviations)
    : mean_(std::move(mean)), prior_(prior), points_(std::move(points)), log_values_(log_values) {
  const Index p = prior_.parameters.mean.size();
  precision_ = prior_.parameters.covariance.llt().solve(MatrixXd::Identity(p, p));
  MatrixXd k = covariance(prior_.residual, points_, points_);
  k.diagonal().array() += deviations.array().square() + prior_.residual.noise * prior_.residual.noise;
  kernel_.compute(k);
  fit();
}

Regression::Whitened Regression::whitened_at(const VectorXd& theta) const {
  auto values = mean_(theta, points_);
  Whitened w{log_values_ - values.log, std::move(values.gradient)};
  kernel_.matrixL().solveInPlace(w.residual);
  kernel_.matrixL().solveInPlace(w.gradient);
  return w;
}

double Regression::cost(const VectorXd& theta, const VectorXd& residual) const {
  const VectorXd away = theta - prior_.parameters.mean;
  return residual.squaredNorm() + away.dot(precision_ * away);
}

void Regression::fit() {
  theta_ = prior_.parameters.mean;
  Whitened now = whitened_at(theta_);
  double now_costs = cost(theta_, now.residual);
  double damping = kFirstDamping;
  for (int i = 0; i < kMostIterations && damping < kMostDamping; ++i) {
    const VectorXd slope =
        now.gradient.transpose() * now.residual - precision_ * (theta_ - prior_.parameters.mean);
    MatrixXd curvature = now.gradient.transpose() * now.gradient + precision_;
    curvature.diagonal() *= 1 + damping;
    VectorXd step = curvature.llt().solve(slope);
    const double longest = step.cwiseAbs().maxCoeff();
    if (longest > kLongestStep) step *= kLongestStep / longest;
    const VectorXd there = theta_ + step;
    Whitened then = whitened_at(there);
    const double then_costs = cost(there, then.residual);
    if (!(then_costs < now_costs)) {
      damping *= kDampingFactor;
      continue;
    }
    const double gain = now_costs - then_costs;
    theta_ = there;
    now = std::move(then);
    now_costs = then_costs;
    damping /= kDampingFactor;
    if (gain < kNoGain) break;
  }
  weights_ = kernel_.matrixU().solve(now.residual);
  hessian_.compute(now.gradient.transpose() * now.gradient + precision_);
  whitened_gradient_ = std::move(now.gradient);
}

void Regression::predict_block(const SearchPoints& block, Index first, Prediction& into) const {
  const Index count = block.size();
  auto values = mean_(theta_, block);
  // A row per point of the block, so that all work is along the long columns.
  MatrixXd v = covariance(prior_.residual, block, points_);
  into.model.segment(first, count) = values.log.array();
  into.mean.segment(first, count) = (values.log + v * weights_).array();
  kernel_.matrixU().solveInPlace<Eigen::OnTheRight>(v);
  MatrixXd r = std::move(values.gradient);
  r.noalias() -= v * whitened_gradient_;
  hessian_.matrixU().solveInPlace<Eigen::OnTheRight>(r);
  const auto& residual = prior_.residual;
  const double a_priori = residual.deviation * residual.deviation + residual.noise * residual.noise;
  Eigen::ArrayXd variance = Eigen::ArrayXd::Constant(count, a_priori);
  for (Index j = 0; j < v.cols(); ++j)
    variance -= v.col(j).array().square();
  for (Index j = 0; j < r.cols(); ++j)
    variance += r.col(j).array().square();
  into.variance.segment(first, count) = variance.max(kLeastVariance);
}

MatrixXd Regression::theta_covariance() const {
  return hessian_.solve(MatrixXd::Identity(theta_.size(), theta_.size()));
}

Prediction Regression::predict(const SearchPoints& points) const {
  const Index n = points.size();
  Prediction prediction{Eigen::ArrayXd(n), Eigen::ArrayXd(n), Eigen::ArrayXd(n)};
  for (Index first = 0; first < n; first += kBlock)
    predict_block(points.block(first, std::min(kBlock, n - first)), first, prediction);
  return prediction;
}

}  // namespace fulcrum::scheduler

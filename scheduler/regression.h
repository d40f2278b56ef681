#pragma once
// Regression of one positive quantity of a step - time or power - on a parametric mean with a Gaussian prior
// on its parameters, and a Gaussian process for what the mean leaves (searches.md section 5). All in
// logarithms.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <functional>

#include "scheduler/roofline.h"
#include "scheduler/workload_prior.h"

namespace fulcrum::scheduler {

using MeanFunction =
    std::function<roofline::Values(const Eigen::VectorXd& theta, const SearchPoints& points)>;

// Of the logarithm at a point that is not measured.
struct Prediction {
  Eigen::ArrayXd mean;
  Eigen::ArrayXd variance;
  Eigen::ArrayXd model;  // the parametric mean alone
};

// Covariances of the residual, but for its noise, between the points of a (rows) and of b.
Eigen::MatrixXd covariance(const ResidualPrior& prior, const SearchPoints& a, const SearchPoints& b);

class Regression {
 public:
  // Maximum a posteriori by Levenberg-Marquardt, from the prior's mean. `log_values` and `deviations` (of
  // each measurement, beside the prior's noise) have a row per point; there is at least one.
  Regression(MeanFunction mean, const QuantityPrior& prior, SearchPoints points,
             const Eigen::VectorXd& log_values, const Eigen::VectorXd& deviations);

  const Eigen::VectorXd& theta() const { return theta_; }
  Eigen::MatrixXd theta_covariance() const;  // a posteriori

  // By the delta method: the uncertainty of the parameters enters through the gradient at theta().
  Prediction predict(const SearchPoints& points) const;

 private:
  struct Whitened {
    Eigen::VectorXd residual;
    Eigen::MatrixXd gradient;
  };

  Whitened whitened_at(const Eigen::VectorXd& theta) const;
  double cost(const Eigen::VectorXd& theta, const Eigen::VectorXd& residual) const;
  void fit();
  void predict_block(const SearchPoints& block, Eigen::Index first, Prediction& into) const;

  MeanFunction mean_;
  QuantityPrior prior_;
  SearchPoints points_;
  Eigen::VectorXd log_values_;
  Eigen::MatrixXd precision_;           // of the parameters, a priori
  Eigen::LLT<Eigen::MatrixXd> kernel_;  // of the residual with all noise: K = L L^T
  Eigen::VectorXd theta_;
  // At theta.
  Eigen::VectorXd weights_;            // K^-1 (y - f)
  Eigen::MatrixXd whitened_gradient_;  // L^-1 J
  Eigen::LLT<Eigen::MatrixXd> hessian_;
};

}  // namespace fulcrum::scheduler

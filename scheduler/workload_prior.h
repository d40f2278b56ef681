#pragma once
// What workloads on a family of boards have in common, known before anything is measured: a prior for the
// surrogate models of RGS, kept as data in config/priors/<family>.yaml.

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/workload_task.h"
#include "scheduler/search_points.h"

namespace fulcrum::scheduler {

// Normal, of the parameters of roofline.h in their order.
struct ParameterPrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

// Of what the roofline leaves of the logarithm of time or power: a Gaussian process, Matern-3/2 over the
// logarithms of SearchPoints, and independent noise from one point to the next.
struct ResidualPrior {
  double deviation = 0;
  Eigen::Array<double, 1, kFeatures> lengths;
  double noise = 0;
};

struct QuantityPrior {
  ParameterPrior parameters;
  ResidualPrior residual;
};

struct WorkloadPrior {
  QuantityPrior time;
  QuantityPrior power;
};

struct SearchPriors {
  WorkloadPrior training;
  WorkloadPrior inference;

  const WorkloadPrior& of(WorkloadTask task) const {
    return task == WorkloadTask::training ? training : inference;
  }

  // Errors name `source` and where in it.
  [[nodiscard]] static Expected<SearchPriors> parse(std::string_view yaml, const std::string& source);
  // Of the Jetson AGX Orin, where most has been measured.
  static const SearchPriors& of_agx_orin();
  // Of a board by the id of its description; null: nothing is known of such boards.
  static const SearchPriors* of_board(std::string_view id);
  // For a board of which nothing is known but what it draws at least and at most: the AGX Orin's, wider.
  static SearchPriors of_other_board(double idle_w, double most_w);
};

}  // namespace fulcrum::scheduler

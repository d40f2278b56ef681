#include "scheduler/workload_model.h"

#include <cmath>
#include <tuple>
#include <utility>

namespace fulcrum::scheduler {

using Eigen::VectorXd;

bool operator==(const Observation& a, const Observation& b) {
  const auto tied = [](const Observation& o) {
    return std::tie(o.mode, o.batch_size, o.time_ms, o.power_w, o.measurements);
  };
  return tied(a) == tied(b);
}

namespace {

// Calls use(regression of time, regression of power).
template <class Use>
auto with_fits(const WorkloadPrior& prior, const std::vector<Observation>& observations,
               const MeasurementNoise& noise, const Use& use) {
  const auto n = static_cast<Eigen::Index>(observations.size());
  std::vector<PowerMode> modes;
  std::vector<int> sizes;
  modes.reserve(observations.size());
  sizes.reserve(observations.size());
  VectorXd time(n), power(n), per_root(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& o = observations[static_cast<std::size_t>(i)];
    modes.push_back(o.mode);
    sizes.push_back(o.batch_size);
    time[i] = std::log(o.time_ms);
    power[i] = std::log(o.power_w);
    per_root[i] = 1 / std::sqrt(o.measurements);
  }
  SearchPoints measured = make_points(modes, sizes);
  const Regression of_time(roofline::time, prior.time, measured, time, noise.time * per_root);
  measured.gpu_share = roofline::gpu_share(of_time.theta(), measured);
  const auto mean_power = [](const VectorXd& theta, const SearchPoints& at) {
    return roofline::power(theta, at, at.gpu_share);
  };
  const Regression of_power(mean_power, prior.power, measured, power, noise.power * per_root);
  return use(of_time, of_power);
}

}  // namespace

WorkloadFit fit_parameters(const WorkloadPrior& prior, const std::vector<Observation>& observations,
                           const MeasurementNoise& noise) {
  return with_fits(prior, observations, noise, [](const Regression& time, const Regression& power) {
    return WorkloadFit{{time.theta(), time.theta_covariance()}, {power.theta(), power.theta_covariance()}};
  });
}

Expectation expect(const WorkloadPrior& prior, const std::vector<Observation>& observations,
                   const MeasurementNoise& noise, const SearchPoints& points) {
  return with_fits(prior, observations, noise, [&points](const Regression& time, const Regression& power) {
    auto expected_time = time.predict(points);
    SearchPoints shared = points;
    shared.gpu_share = roofline::gpu_share(time.theta(), points, expected_time.model);
    return Expectation{std::move(expected_time), power.predict(shared)};
  });
}

}  // namespace fulcrum::scheduler

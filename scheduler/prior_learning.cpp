#include "scheduler/prior_learning.h"

#include <utility>

namespace fulcrum::scheduler {

namespace {

// What the base counts as, in workloads.
constexpr double kBaseWeight = 1;

ParameterPrior pooled(const ParameterPrior& base, const std::vector<ParameterPrior>& workloads) {
  const double weight = kBaseWeight + static_cast<double>(workloads.size());
  ParameterPrior all{kBaseWeight * base.mean, kBaseWeight * base.covariance};
  for (const auto& w : workloads) {
    all.mean += w.mean;
    all.covariance += w.covariance;
  }
  all.mean /= weight;
  const auto scatter = [&all](const ParameterPrior& one) -> Eigen::MatrixXd {
    const Eigen::VectorXd off = one.mean - all.mean;
    return off * off.transpose();
  };
  all.covariance += kBaseWeight * scatter(base);
  for (const auto& w : workloads)
    all.covariance += scatter(w);
  all.covariance /= weight;
  return all;
}

// Of one batch size where that is the user's, spread over all modes.
std::vector<Observation> observations_of(const ProfileSet& workload, WorkloadTask task) {
  std::vector<Observation> all;
  int batch_size = 0;
  for (auto it = workload.begin(task); it != workload.end() && it->second.task == task; ++it) {
    const auto& p = it->second;
    if (task == WorkloadTask::training) {
      if (batch_size == 0) batch_size = p.batch_size;
      if (p.batch_size != batch_size) continue;
    }
    all.push_back(
        {p.mode, task == WorkloadTask::training ? 1 : p.batch_size, p.p99_ms, p.power_w, p.measurements});
  }
  if (all.size() <= kMostProfiles) return all;
  std::vector<Observation> some;
  some.reserve(kMostProfiles);
  for (std::size_t i = 0; i < kMostProfiles; ++i)
    some.push_back(all[i * all.size() / kMostProfiles]);
  return some;
}

WorkloadPrior learned(const WorkloadPrior& base, WorkloadTask task, const std::vector<ProfileSet>& workloads,
                      const MeasurementNoise& noise) {
  std::vector<ParameterPrior> time, power;
  for (const auto& workload : workloads) {
    const auto observations = observations_of(workload, task);
    if (observations.size() < kLeastProfiles || time.size() == kMostWorkloads) continue;
    auto fit = fit_parameters(base, observations, noise);
    time.push_back(std::move(fit.time));
    power.push_back(std::move(fit.power));
  }
  WorkloadPrior prior = base;
  prior.time.parameters = pooled(base.time.parameters, time);
  prior.power.parameters = pooled(base.power.parameters, power);
  return prior;
}

}  // namespace

SearchPriors learned_priors(const SearchPriors& base, const std::vector<ProfileSet>& workloads,
                            const MeasurementNoise& noise) {
  return {learned(base.training, WorkloadTask::training, workloads, noise),
          learned(base.inference, WorkloadTask::inference, workloads, noise)};
}

}  // namespace fulcrum::scheduler

#pragma once
// What is expected of a workload in every power mode, from its profiles and from what workloads on such
// boards have in common.

#include <vector>

#include "scheduler/problem.h"
#include "scheduler/regression.h"

namespace fulcrum::scheduler {

struct Observation {
  PowerMode mode;
  int batch_size = 0;
  double time_ms = 0;
  double power_w = 0;
  int measurements = 1;
};
bool operator==(const Observation& a, const Observation& b);

struct Expectation {
  Prediction time;   // of ln ms
  Prediction power;  // of ln W
};

// The parameters a posteriori; at least one observation.
struct WorkloadFit {
  ParameterPrior time;
  ParameterPrior power;
};
WorkloadFit fit_parameters(const WorkloadPrior& prior, const std::vector<Observation>& observations,
                           const MeasurementNoise& noise);

// Time is fitted first, then power by how long the GPU computes in a step, according to the fitted time. At
// least one observation.
Expectation expect(const WorkloadPrior& prior, const std::vector<Observation>& observations,
                   const MeasurementNoise& noise, const SearchPoints& points);

}  // namespace fulcrum::scheduler

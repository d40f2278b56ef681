#pragma once
// Job specs for the tests of the worker.

#include "common/job_spec.h"

namespace fulcrum::test {

inline JobSpec training_spec() {
  TrainingSpec training;
  training.dataset = {IdxFiles{"/d/images", "/d/labels"}};
  training.batch_size = 16;
  JobSpec spec;
  spec.name = "fashion";
  spec.model.builtin = "lenet5";
  spec.kind = training;
  return spec;
}

// Replays `rate_hz` requests a second, for as long as duration_s says.
inline JobSpec inference_spec(double rate_hz, std::optional<double> duration_s, double budget_ms = 1000) {
  InferenceSpec inference;
  inference.latency_budget_ms = budget_ms;
  inference.arrival_rate_hz = rate_hz;
  inference.batch_sizes = {1, 4};
  inference.source = {{IdxFiles{"/d/images", "/d/labels"}}, "periodic", rate_hz, duration_s, 1};
  JobSpec spec;
  spec.name = "camera";
  spec.model.builtin = "lenet5";
  spec.kind = inference;
  return spec;
}

}  // namespace fulcrum::test

#pragma once
// What runs now, and how: the answer of the planner, the orders of the time slicer, and what `plan.get`
// shows.

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "powermode/power_mode.h"

namespace fulcrum::scheduler {

// How long a minibatch of this size takes on the device.
struct StepTime {
  int batch_size = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};

// Time of the smallest measured batch that holds n samples (a bound from above); the largest if none does.
// `times` ascending by batch size and not empty.
const StepTime& step_time_for(const std::vector<StepTime>& times, int n);

struct InferenceShare {
  JobId job = 0;
  std::string name;
  int batch_size = 0;
  double arrival_rate_hz = 0;
  double window_ms = 0;  // w = 1000 b / a: time to collect a batch
  double latency_budget_ms = 0;
  double expected_latency_ms = 0;  // w + t_in, searches.md section 1
  std::vector<StepTime> step_times;
  std::string warning;  // why the budget will not be met; empty when it will
};

struct TrainingShare {
  JobId job = 0;
  std::string name;
  StepTime step_time;
  std::string warning;  // why it will not run; empty when it will
};

struct Plan {
  std::string policy = "managed";
  std::optional<PowerMode> mode;
  std::string mode_name;  // of the preset, if the mode is one
  std::vector<InferenceShare> inference;
  std::vector<TrainingShare> training;
  double margin_ms = 0;                    // by which a partial batch starts ahead of its latest start
  double window_ms = 0;                    // the shortest of the inference windows; 0 without inference
  std::optional<int> training_per_window;  // tau; none = as many as fit
  double expected_train_minibatches_per_s = 0;
  std::optional<double> power_budget_w;
  std::optional<double> expected_power_w;  // of the board while the workload that draws more runs
  std::vector<std::string> notes;          // what does not run as its user asked, and why

  Json to_json() const;
  [[nodiscard]] static Expected<Plan> from_json(const Json& json);
};

}  // namespace fulcrum::scheduler

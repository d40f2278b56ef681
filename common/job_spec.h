#pragma once
// What a user asks for, as the daemon, the worker and the command line share it: the typed form of the job
// specs of docs/api.md. Shapes, names and limits are checked by config/schemas/job.schema.json before one of
// these is made; from_json applies the defaults and checks what a schema cannot say.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/dataset_spec.h"
#include "common/error.h"
#include "common/json_text.h"
#include "common/model_spec.h"
#include "common/optimization_spec.h"

namespace fulcrum {

using JobId = std::int64_t;  // 1, 2, 3 ... in order of submission

struct ValidationSpec {
  DatasetSpec dataset;
  int every_epochs = 1;  // and always after the last
};

// Training ends when so many validations in a row were not better than the best before them.
struct EarlyStoppingSpec {
  int patience = 3;
  std::string metric = "loss";  // of the validation; or "accuracy"
  double min_delta = 0;         // by how much a better one has to be better
};

struct LoaderSpec {
  int workers = 4;   // threads that prepare minibatches; 0 = in line with the step
  int prefetch = 2;  // minibatches each worker may be ahead
  int shard = 0;     // neighbouring samples that stay together when samples are shuffled; 0: none
};

struct TrainingSpec {
  DatasetSpec dataset;
  std::optional<ValidationSpec> validation;
  OptimizationSpec optimization;
  int batch_size = 16;
  int epochs = 1;
  LoaderSpec loader;
  std::optional<EarlyStoppingSpec> early_stopping;  // only with a validation
  double checkpoint_every_s = 30;
  int checkpoints_kept = 2;   // the newest
  bool deterministic = true;  // resumed training on the CPU is bit-identical to an undisturbed one
  std::string output;  // absolute path for the trained weights; empty: kept in the last checkpoint only
};

// Requests drawn from a dataset and sent on a schedule, in place of a camera.
struct ReplaySpec {
  DatasetSpec dataset;
  std::string process = "periodic";  // or "poisson"
  double rate_hz = 1;
  std::optional<double> duration_s;  // none: until the job is cancelled
  std::uint64_t seed = 1;
};

struct InferenceSpec {
  double latency_budget_ms = 100;
  double percentile = 99;  // of requests that must be inside the budget
  double arrival_rate_hz = 1;
  std::vector<int> batch_sizes{1, 4, 16, 32, 64};  // ascending
  ReplaySpec source;
};

struct JobSpec {
  std::string name;
  ModelSpec model;
  std::uint64_t seed = 1;
  std::string workload_class = "light-cnn";  // which time and power model a simulated board uses
  std::string strategy;  // by which the power mode is searched for; empty: the configured one
  std::variant<TrainingSpec, InferenceSpec> kind;

  const TrainingSpec* training() const { return std::get_if<TrainingSpec>(&kind); }
  const InferenceSpec* inference() const { return std::get_if<InferenceSpec>(&kind); }
  std::string_view kind_name() const { return training() ? "training" : "inference"; }

  // Batch sizes this job can run: one for training, batch_sizes for inference.
  std::vector<int> batch_sizes() const;

  // Every file and folder the job reads, with the field that names it, such as /dataset/images.
  std::vector<NamedFile> input_files() const;

  // With every default filled in; from_json(to_json()) is the same spec.
  Json to_json() const;

  // All faults at once; each has its field, relative to the spec (such as /dataset/images).
  [[nodiscard]] static tl::expected<JobSpec, std::vector<Error>> from_json(const Json& json);
};

}  // namespace fulcrum

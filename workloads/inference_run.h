#pragma once
// One inference job: a network and the data set that its requests are drawn from. Runs a batch when told to;
// which requests form it and when is the time slicer's business. All calls come from one thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "common/job_spec.h"
#include "workloads/dataset.h"
#include "workloads/model_file.h"
#include "workloads/validation_result.h"

namespace fulcrum::workloads {

struct InferenceBatch {
  // Class of each sample, in the order asked for; empty if the network's answers are not logits [n, classes].
  std::vector<std::int64_t> predictions;
  std::optional<std::size_t> correct;  // of these, equal to the label
  bool retried = false;                // memory ran out the first time
  double data_ms = 0;                  // reading the samples
  double device_ms = 0;                // forward, to completion
};

// Where weights come from that a training job has learned.
struct WeightsOrigin {
  std::uint64_t step = 0;                                     // of the training job
  int epoch = 0;                                              // it had completed
  std::optional<ValidationResult> validation = std::nullopt;  // of these weights, if they were validated
};

// What an inference job answers with, and the data set that its requests are drawn from.
struct InferenceData {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const ModelFile> model;  // null for a built-in model; for one run only
};

// Reads and unpacks the files that `spec`, of an inference job, names; on any thread.
[[nodiscard]] Expected<InferenceData> load_inference_data(const JobSpec& spec);

class InferenceRun {
 public:
  struct Options {
    int intra_op_threads = 1;
    const Clock* clock = nullptr;  // must outlive the run
    bool cpu_only = false;         // even if there is a CUDA device
    bool takes_weights = false;    // a second network is kept for those that come while it serves
  };

  [[nodiscard]] static Expected<std::unique_ptr<InferenceRun>> create(const JobSpec& spec, InferenceData data,
                                                                      Options options);
  ~InferenceRun();
  InferenceRun(const InferenceRun&) = delete;
  InferenceRun& operator=(const InferenceRun&) = delete;

  std::size_t dataset_size() const;

  // Of LearnerState::model. They are loaded beside the network that answers; the next run() begins by
  // changing over to them. From one thread, which may be another than that of run(). After an error the
  // network in use is as it was. Needs takes_weights.
  [[nodiscard]] Expected<void> load_weights(const std::string& model, const WeightsOrigin& origin);
  // Of the network that answered last; none: it has the weights that it began with.
  const std::optional<WeightsOrigin>& origin() const;

  // Runs these samples of the data set (each below dataset_size()) as one batch, to completion.
  [[nodiscard]] Expected<InferenceBatch> run(const std::vector<std::size_t>& samples);

 private:
  struct State;
  explicit InferenceRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fulcrum::workloads

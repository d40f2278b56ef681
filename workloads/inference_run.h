#pragma once
// One inference job: a network and the data set that its requests are drawn from. Runs a batch when told to;
// which requests form it and when is the time slicer's business. All calls come from one thread.

#include <cstdint>
#include <memory>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "common/job_spec.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {

struct InferenceBatch {
  std::vector<std::int64_t> predictions;  // class of each sample, in the order asked for
  std::size_t correct = 0;                // of these, equal to the label
  double data_ms = 0;                     // reading the samples
  double device_ms = 0;                   // forward, to completion
};

// The data set that the requests of `spec`, of an inference job, are drawn from. Uses no LibTorch.
[[nodiscard]] Expected<std::shared_ptr<const Dataset>> load_inference_data(const JobSpec& spec);

class InferenceRun {
 public:
  struct Options {
    int intra_op_threads = 1;
    const Clock* clock = nullptr;  // must outlive the run
  };

  [[nodiscard]] static Expected<std::unique_ptr<InferenceRun>> create(const JobSpec& spec,
                                                                      std::shared_ptr<const Dataset> dataset,
                                                                      Options options);
  ~InferenceRun();
  InferenceRun(const InferenceRun&) = delete;
  InferenceRun& operator=(const InferenceRun&) = delete;

  std::size_t dataset_size() const;

  // Runs these samples of the data set (each below dataset_size()) as one batch, to completion.
  [[nodiscard]] Expected<InferenceBatch> run(const std::vector<std::size_t>& samples);

 private:
  struct State;
  explicit InferenceRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fulcrum::workloads

#pragma once
// Jobs on tiny data sets, and ways to run them, for the tests of training and inference.

#include <memory>
#include <string>
#include <utility>

#include "common/job_spec.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_dataset.h"
#include "workloads/inference_run.h"
#include "workloads/training_run.h"

namespace fulcrum::test {

// 44 samples in minibatches of 8: 6 an epoch, the last with 4. Validation on 20 samples (3 minibatches) after
// epoch 2 and after the last, 3. So 6 + 6 + 3 + 6 + 3 = 24 steps.
inline constexpr std::uint64_t kTinySteps = 24;
inline JobSpec tiny_training_job(const std::string& directory) {
  TrainingSpec training;
  training.dataset = write_tiny_dataset(directory, "train", 44, 3, 1);
  training.validation = ValidationSpec{write_tiny_dataset(directory, "test", 20, 3, 2), 2};
  training.batch_size = 8;
  training.epochs = 3;
  training.loader = {2, 2, 0};
  JobSpec spec;
  spec.name = "tiny";
  spec.model = {"lenet5", 3};
  spec.seed = 5;
  spec.kind = training;
  return spec;
}

inline JobSpec tiny_inference_job(const std::string& directory) {
  InferenceSpec inference;
  inference.source.dataset = write_tiny_dataset(directory, "requests", 10, 3, 3);
  JobSpec spec;
  spec.name = "tiny";
  spec.model = {"lenet5", 3};
  spec.seed = 6;
  spec.kind = inference;
  return spec;
}

struct RunOptions : workloads::TrainingRun::Options {
  std::string checkpoint_directory;
};

// What a worker does to open a training job: data, then checkpoints, then the run.
inline Expected<std::unique_ptr<workloads::TrainingRun>> create_training_run(const JobSpec& spec,
                                                                             const RunOptions& options) {
  FULCRUM_TRY_ASSIGN(data, workloads::load_training_data(spec));
  FULCRUM_TRY_ASSIGN(store, workloads::CheckpointStore::open(options.checkpoint_directory));
  const workloads::TrainingRun::Options& of_the_run = options;
  return workloads::TrainingRun::create(spec, std::move(data), std::move(store), of_the_run);
}

inline Expected<std::unique_ptr<workloads::InferenceRun>> create_inference_run(
    const JobSpec& spec, const workloads::InferenceRun::Options& options) {
  FULCRUM_TRY_ASSIGN(data, workloads::load_inference_data(spec));
  return workloads::InferenceRun::create(spec, std::move(data), options);
}

}  // namespace fulcrum::test

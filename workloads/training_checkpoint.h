#pragma once
// The state of a training run as data, and as bytes (CBOR, format version 1).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "workloads/learner.h"
#include "workloads/validation_result.h"

namespace fulcrum::workloads {

// How far a run has come. While `validating`, `epoch` epochs are trained and the validation after them is
// under way.
struct TrainingPosition {
  std::uint64_t steps = 0;  // of training and of validation
  int epoch = 0;            // completed
  std::uint64_t minibatch = 0;
  double epoch_loss_sum = 0;  // over the samples of the current epoch
  std::uint64_t epoch_samples = 0;
  double last_epoch_loss = 0;  // mean over the epoch before
  // Minibatches of which nothing was learned; they are in no mean.
  std::uint64_t skipped = 0;
  int skipped_in_a_row = 0;

  bool validating = false;
  std::uint64_t validation_minibatch = 0;
  double validation_loss_sum = 0;
  std::uint64_t validation_correct = 0;
  std::vector<ValidationResult> validations;

  // The last validation is of these very weights.
  bool just_validated() const;
};

struct TrainingCheckpoint {
  Json fingerprint;  // see fingerprint_of
  TrainingPosition position;
  LearnerState learner;
};

// What of a job decides which weights a step leads to. Epochs are not part of it: a job may be made longer.
// `model_checksum`: of the model's file; "" for a built-in one.
Json fingerprint_of(const JobSpec& spec, std::size_t samples, std::size_t validation_samples,
                    const std::string& model_checksum);

// invalid_argument, naming what differs, if a checkpoint of fingerprint `stored` is not one of a job with
// `wanted`.
[[nodiscard]] Expected<void> check_fingerprint(const Json& stored, const Json& wanted);

std::string encode(const TrainingCheckpoint& checkpoint);
[[nodiscard]] Expected<TrainingCheckpoint> decode_training_checkpoint(std::string_view bytes);

}  // namespace fulcrum::workloads

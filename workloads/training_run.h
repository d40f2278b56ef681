#pragma once
// One training job, taken forward one minibatch at a time. Between two steps the device is free for others:
// nothing runs in the background but the loader's threads and the writer of checkpoints. All calls come from
// one thread.
//
// On the CPU the weights after n steps depend on the spec and the number of intra-op threads alone: not on
// what other jobs did in between, nor on how often the run was stopped and resumed from a checkpoint.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "workloads/checkpoint_store.h"
#include "workloads/dataset.h"
#include "workloads/model_file.h"
#include "workloads/validation_result.h"

namespace fulcrum::workloads {

class Learner;

struct TrainingProgress {
  int epoch = 0;  // epochs completed
  int epochs = 0;
  std::uint64_t minibatch = 0;  // done in the current epoch
  std::uint64_t minibatches_per_epoch = 0;
  std::uint64_t samples_done = 0;  // over all epochs
  double train_loss = 0;           // mean over the current epoch, or over the last one before a new one began
  std::uint64_t skipped_minibatches = 0;  // of which nothing was learned
  bool validating = false;
  std::vector<ValidationResult> validations;
  bool stopped_early = false;
  bool deterministic = true;  // an interruption changes no weight

  Json to_json() const;  // of the validations only the last; what is not a number prints as null
};

struct TrainingStep {
  bool validation = false;  // a minibatch of the validation set, forward only
  bool skipped = false;     // nothing was learned from it
  bool retried = false;     // memory ran out the first time
  bool ends_epoch = false;  // with the validation after it, if one was due
  std::size_t samples = 0;
  double loss = 0;       // mean over the minibatch
  double data_ms = 0;    // fetch stall: the minibatch was not there when it could have been taken
  double decode_ms = 0;  // preparing the minibatch, in whichever thread
  double queued_ms = 0;  // that it lay ready before it was taken
  double device_ms = 0;  // forward, backward and update, to completion
};

// What a training job learns from and with. It may be loaded by any thread.
struct TrainingData {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const Dataset> validation;  // null without validation
  std::shared_ptr<const ModelFile> model;     // null for a built-in model; for one run only
};

// Reads and unpacks the files that `spec`, of a training job, names. A thread that must not be kept waiting
// can leave this to another, as no random numbers are drawn.
[[nodiscard]] Expected<TrainingData> load_training_data(const JobSpec& spec);

// Training steps that leave no trace: on a copy of a run's network and optimizer, always with the same full
// minibatch.
class TrainingTrial {
 public:
  explicit TrainingTrial(std::unique_ptr<Learner> learner, Minibatch minibatch);
  ~TrainingTrial();
  TrainingTrial(const TrainingTrial&) = delete;
  TrainingTrial& operator=(const TrainingTrial&) = delete;

  [[nodiscard]] Expected<void> step();

 private:
  std::unique_ptr<Learner> learner_;
  Minibatch minibatch_;
};

class TrainingRun {
 public:
  struct Options {
    int intra_op_threads = 1;        // for a run that begins; a resumed one keeps what it had
    const Clock* clock = nullptr;    // must outlive the run
    std::function<void()> on_ready;  // see MinibatchLoader::Options
  };

  // Begins anew or, if there is one, from the latest checkpoint in `store`, which is of this job alone.
  // Refuses a checkpoint of a different spec.
  [[nodiscard]] static Expected<std::unique_ptr<TrainingRun>> create(const JobSpec& spec, TrainingData data,
                                                                     CheckpointStore store, Options options);
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  // Steps done in the run's life, before resuming too; and whether it was resumed.
  std::uint64_t steps_done() const;
  bool resumed() const;
  // Broken checkpoints that were passed over.
  const std::vector<Error>& warnings() const;

  bool finished() const;
  // step() will not wait for data. False when finished.
  bool ready() const;

  // Runs one minibatch to completion: of training, or of the validation that is due after an epoch.
  [[nodiscard]] Expected<TrainingStep> step();

  TrainingProgress progress() const;

  // The whole state as bytes, good for CheckpointStore.
  [[nodiscard]] Expected<StoredCheckpoint> snapshot() const;

  // checkpoint.every_s has passed since the last one, or the run has been validated or has finished since.
  bool checkpoint_due() const;
  // Takes a snapshot and has it written in the background.
  [[nodiscard]] Expected<void> save_checkpoint();
  // CheckpointWriter::trouble(); training may go on.
  std::optional<Error> checkpoint_trouble() const;
  // Waits until every saved checkpoint is on disk.
  [[nodiscard]] Expected<void> flush_checkpoints();

  // The trained network as a TorchScript module, replaced atomically; torch.jit.load reads it in Python.
  [[nodiscard]] Expected<void> write_output(const std::string& path) const;

  // Equal for bit-identical weights: FNV-1a over names and bytes of all parameters and buffers.
  std::string weights_digest() const;

  // This run's weights, random numbers and place in its data stay as they are, whatever the trial does.
  [[nodiscard]] Expected<std::unique_ptr<TrainingTrial>> make_trial() const;

 private:
  struct State;
  explicit TrainingRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fulcrum::workloads

#pragma once
// What learns: a network, its loss and its optimizer, on the device. Knows nothing of epochs, loaders or
// files.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "workloads/dataset.h"
#include "workloads/model_file.h"

namespace fulcrum::workloads {

// Everything that the next step depends on, as bytes.
struct LearnerState {
  std::string model;
  std::string optimizer;
  std::vector<std::string> random_states;
  int intra_op_threads = 1;
  double loss_scale = 0;  // of mixed precision; 0: as at the beginning
  std::int64_t loss_scale_steps = 0;
};

struct Score {
  double loss_sum = 0;        // over the samples
  std::uint64_t correct = 0;  // 0 for a loss that is not of class labels
};

struct TrainedMinibatch {
  double loss = 0;       // mean, before the update
  bool skipped = false;  // nothing was learned from it: its loss is not a finite number
  bool retried = false;  // memory ran out the first time
};

struct LearnerOptions {
  int intra_op_threads = 1;
  bool cpu_only = false;  // even if there is a CUDA device
};

class Learner {
 public:
  // With the weights of `model`, or, where that is null, random ones from spec.seed. `spec` is of a training
  // job; its samples have `sample_shape`.
  [[nodiscard]] static Expected<std::unique_ptr<Learner>> create(
      const JobSpec& spec, const std::shared_ptr<const ModelFile>& model,
      std::vector<std::int64_t> sample_shape, const LearnerOptions& options);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Forward, backward and update, to completion, with this share of the optimizer's learning rate. A loss
  // that is not a finite number is treated as the spec says. When memory runs out before the update, what is
  // cached is given back and all is done once more.
  [[nodiscard]] Expected<TrainedMinibatch> train(const Minibatch& minibatch, double lr_factor);

  // How many classes the network has told apart; none before it has run, or for a loss that is not of labels.
  std::optional<int> classes() const;

  // Forward only; the weights stay.
  [[nodiscard]] Expected<Score> evaluate(const Minibatch& minibatch);

  [[nodiscard]] Expected<LearnerState> save() const;
  [[nodiscard]] Expected<void> load(const LearnerState& state);

  // The trained network for others; Network::save_trained().
  [[nodiscard]] Expected<std::string> save_trained() const;
  std::string weights_digest() const;

  // The same steps, whatever the thread counts and however the run was interrupted.
  bool deterministic() const;

  // For trying steps out: the same weights, with an optimizer whose buffers are still to be filled. Learns
  // from any loss.
  [[nodiscard]] Expected<std::unique_ptr<Learner>> copy() const;

 private:
  struct Parts;
  explicit Learner(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace fulcrum::workloads

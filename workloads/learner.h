#pragma once
// What learns: a network, its loss and its optimizer, on the device. Knows nothing of epochs, loaders or
// files.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {

// Everything that the next step depends on, as bytes.
struct LearnerState {
  std::string model;
  std::string optimizer;
  std::vector<std::string> random_states;
  int intra_op_threads = 1;
};

struct Score {
  double loss_sum = 0;  // over the samples
  std::uint64_t correct = 0;
};

class Learner {
 public:
  // Random weights from spec.seed. `spec` is of a training job; samples have the shape that its model takes.
  [[nodiscard]] static Expected<std::unique_ptr<Learner>> create(const JobSpec& spec, int intra_op_threads);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Forward, backward and update, to completion. The mean loss before the update.
  [[nodiscard]] Expected<double> train(const Minibatch& minibatch);

  // Forward only; the weights stay.
  [[nodiscard]] Expected<Score> evaluate(const Minibatch& minibatch);

  [[nodiscard]] Expected<LearnerState> save() const;
  [[nodiscard]] Expected<void> load(const LearnerState& state);

  // Weights only, as torch::save writes them.
  [[nodiscard]] Expected<std::string> save_weights() const;
  std::string weights_digest() const;

  // The same weights, with an optimizer whose buffers are still to be filled.
  [[nodiscard]] Expected<std::unique_ptr<Learner>> copy() const;

 private:
  struct Parts;
  explicit Learner(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace fulcrum::workloads

#pragma once
// How a training job learns: the loss, the optimizer and what is done around its steps. The names and
// formulas are PyTorch's.

#include <optional>
#include <string>

#include "common/json_fields.h"
#include "common/json_text.h"

namespace fulcrum {

struct OptimizerSpec {
  std::string name = "sgd";  // "sgd", "adam", "adamw", "rmsprop"
  double lr = 0.01;
  double momentum = 0.9;    // sgd, rmsprop
  bool nesterov = false;    // sgd
  double weight_decay = 0;  // all
  double beta1 = 0.9;       // adam, adamw
  double beta2 = 0.999;     // adam, adamw
  double alpha = 0.99;      // rmsprop
  double eps = 1e-8;        // adam, adamw, rmsprop
};

// The learning rate at a step, as a factor of the optimizer's.
struct ScheduleSpec {
  std::string name = "constant";  // "constant", "step", "cosine"
  int warmup_steps = 0;           // linearly up to the full rate, in minibatches
  int every_epochs = 1;           // step: how often ...
  double gamma = 0.1;             // ... the rate is multiplied by this
  int over_epochs = 0;            // cosine: when the rate has come down; set for a cosine
  double min_factor = 0;          // cosine: to this share of the optimizer's rate
};

// Exactly one is set.
struct ClippingSpec {
  std::optional<double> norm;   // of all gradients together, the Euclidean one
  std::optional<double> value;  // of each gradient's elements
};

struct OptimizationSpec {
  std::string loss = "cross_entropy";  // or "mse", "bce_with_logits", "nll", "in_model"
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  std::optional<ClippingSpec> clipping;
  int micro_batch_size = 0;           // a minibatch goes through the network in parts of this size; 0: whole
  std::string precision = "float32";  // or "mixed"
  // What becomes of a minibatch whose loss is not a finite number: "stop" fails the job, "skip" leaves the
  // network as it was before the minibatch, "continue" learns from it all the same.
  std::string non_finite_loss = "stop";

  // The loss is of class labels, so that answers can be right or wrong.
  bool classifies() const { return loss == "cross_entropy" || loss == "nll"; }
};

// The fields "loss", "optimizer", "schedule", "clip_gradients", "micro_batch_size", "precision" and
// "non_finite_loss" of a training job of so many samples a minibatch and so many epochs.
void read_optimization(JsonFields& fields, int batch_size, int epochs, OptimizationSpec& spec);

// Those fields into the job's JSON. What is as without them is left out, but for loss and the optimizer's
// first three, which have always been there.
void add_optimization(const OptimizationSpec& spec, Json& job);

}  // namespace fulcrum

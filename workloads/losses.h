#pragma once
// The losses by their names in job specs. Includes LibTorch: not for headers that other folders see.

#include <ATen/core/Tensor.h>

#include <string>

#include "workloads/minibatch.h"

namespace fulcrum::workloads {

// The mean over the samples of a loss other than "in_model", as a scalar. `output` is what the network made
// of the batch. "cross_entropy" and "nll" take [n, classes] and class labels; "mse" and "bce_with_logits"
// take targets of the output's shape, or class labels: for [n, classes] these stand for the vector that is 1
// at the label and 0 elsewhere, for [n] or [n, 1] for themselves as numbers. Throws, in words for the user,
// when output and targets do not fit.
at::Tensor mean_loss(const std::string& name, const at::Tensor& output, const at::Tensor& targets);

// Throws if a class label of the minibatch is none of the output's classes: on a CUDA device that would be
// the end of every job. Only for the losses that take class labels.
void check_labels(const at::Tensor& output, const Minibatch& minibatch);

}  // namespace fulcrum::workloads

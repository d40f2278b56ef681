#include "workloads/optimizers.h"

#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/serialize/archive.h>

#include <sstream>
#include <utility>

namespace fulcrum::workloads {

namespace {

namespace optim = torch::optim;

template <class Options>
Options with_betas(const OptimizerSpec& spec) {
  return Options(spec.lr).betas({spec.beta1, spec.beta2}).eps(spec.eps).weight_decay(spec.weight_decay);
}

}  // namespace

std::unique_ptr<optim::Optimizer> make_optimizer(const OptimizerSpec& spec,
                                                 std::vector<at::Tensor> parameters) {
  if (spec.name == "adam") {
    return std::make_unique<optim::Adam>(std::move(parameters), with_betas<optim::AdamOptions>(spec));
  }
  if (spec.name == "adamw") {
    return std::make_unique<optim::AdamW>(std::move(parameters), with_betas<optim::AdamWOptions>(spec));
  }
  if (spec.name == "rmsprop") {
    return std::make_unique<optim::RMSprop>(std::move(parameters), optim::RMSpropOptions(spec.lr)
                                                                       .alpha(spec.alpha)
                                                                       .eps(spec.eps)
                                                                       .momentum(spec.momentum)
                                                                       .weight_decay(spec.weight_decay));
  }
  TORCH_CHECK(spec.name == "sgd", "unknown optimizer '", spec.name, "'");
  return std::make_unique<optim::SGD>(std::move(parameters), optim::SGDOptions(spec.lr)
                                                                 .momentum(spec.momentum)
                                                                 .nesterov(spec.nesterov)
                                                                 .weight_decay(spec.weight_decay));
}

void set_lr(optim::Optimizer& optimizer, double lr) {
  for (auto& group : optimizer.param_groups())
    group.options().set_lr(lr);
}

std::string save_optimizer(const optim::Optimizer& optimizer) {
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream bytes;
  archive.save_to(bytes);
  return bytes.str();
}

void load_optimizer(optim::Optimizer& optimizer, const std::string& archive) {
  torch::serialize::InputArchive input;
  input.load_from(archive.data(), archive.size());
  optimizer.load(input);
}

void clip_gradients(const ClippingSpec& clipping, const std::vector<at::Tensor>& parameters) {
  if (clipping.norm) torch::nn::utils::clip_grad_norm_(parameters, *clipping.norm);
  if (clipping.value) torch::nn::utils::clip_grad_value_(parameters, *clipping.value);
}

}  // namespace fulcrum::workloads

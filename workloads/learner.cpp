#include "workloads/learner.h"

#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/sum.h>
#include <torch/optim/sgd.h>
#include <torch/serialize/archive.h>

#include <sstream>

#include "workloads/batch_tensors.h"
#include "workloads/device_turn.h"
#include "workloads/network.h"
#include "workloads/torch_call.h"

namespace fulcrum::workloads {

namespace {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerSpec& spec,
                                                        std::vector<at::Tensor> parameters) {
  // "sgd" is the only name that JobSpec lets pass.
  return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                             torch::optim::SGDOptions(spec.lr).momentum(spec.momentum));
}

}  // namespace

struct Learner::Parts {
  ModelSpec model;
  OptimizerSpec optimizer_spec;
  DeviceShare share;
  std::unique_ptr<Network> network;
  std::unique_ptr<torch::optim::Optimizer> optimizer;

  double train(const Minibatch& minibatch) {
    const DeviceTurn turn(share);
    const auto batch = batch_tensors(minibatch, share.device());
    // Optimizer::parameters() would warn in every step with LibTorch 1.13.
    for (const auto& parameter : optimizer->param_groups().front().params()) {
      parameter.mutable_grad().reset();
    }
    const at::Tensor loss = at::cross_entropy_loss(network->forward(batch.inputs), batch.targets);
    loss.backward();
    optimizer->step();
    share.synchronise();
    return loss.item<double>();
  }

  Score evaluate(const Minibatch& minibatch) {
    const DeviceTurn turn(share);
    const at::NoGradGuard no_gradients;
    const auto batch = batch_tensors(minibatch, share.device());
    network->set_training(false);
    const at::Tensor logits = network->forward(batch.inputs);
    network->set_training(true);
    const at::Tensor loss = at::cross_entropy_loss(logits, batch.targets, {}, at::Reduction::Sum);
    const at::Tensor correct = at::sum(at::eq(at::argmax(logits, 1), batch.targets));
    return {loss.item<double>(), static_cast<std::uint64_t>(correct.item<std::int64_t>())};
  }
};

Learner::Learner(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Learner::~Learner() = default;

Expected<std::unique_ptr<Learner>> Learner::create(const JobSpec& spec, int intra_op_threads) {
  return torch_call("making the network and its optimizer", [&] {
    DeviceShare share(best_device(), intra_op_threads, spec.seed);
    std::unique_ptr<Network> network;
    {
      const DeviceTurn turn(share);
      network = make_network(spec.model, share.device());
    }
    const OptimizerSpec& optimizer_spec = spec.training()->optimizer;
    auto optimizer = make_optimizer(optimizer_spec, network->parameters());
    return std::unique_ptr<Learner>(new Learner(std::make_unique<Parts>(
        Parts{spec.model, optimizer_spec, share, std::move(network), std::move(optimizer)})));
  });
}

Expected<double> Learner::train(const Minibatch& minibatch) {
  return torch_call("running a training minibatch", [&] { return parts_->train(minibatch); });
}

Expected<Score> Learner::evaluate(const Minibatch& minibatch) {
  return torch_call("running a validation minibatch", [&] { return parts_->evaluate(minibatch); });
}

Expected<LearnerState> Learner::save() const {
  return torch_call("saving the network and its optimizer", [&] {
    LearnerState state;
    state.model = parts_->network->save();
    torch::serialize::OutputArchive archive;
    parts_->optimizer->save(archive);
    std::ostringstream bytes;
    archive.save_to(bytes);
    state.optimizer = bytes.str();
    state.random_states = parts_->share.random_states();
    state.intra_op_threads = parts_->share.intra_op_threads();
    return state;
  });
}

Expected<void> Learner::load(const LearnerState& state) {
  return torch_call("restoring the network and its optimizer", [&] {
    parts_->network->load(state.model);
    torch::serialize::InputArchive archive;
    archive.load_from(state.optimizer.data(), state.optimizer.size());
    parts_->optimizer->load(archive);
    parts_->share.restore(state.random_states, state.intra_op_threads);
  });
}

Expected<std::string> Learner::save_weights() const {
  return torch_call("saving the weights", [&] { return parts_->network->save(); });
}

std::string Learner::weights_digest() const {
  return digest_of(*parts_->network);
}

Expected<std::unique_ptr<Learner>> Learner::copy() const {
  return torch_call("copying the network", [&] {
    auto cloned = parts_->network->clone();
    auto fresh = make_optimizer(parts_->optimizer_spec, cloned->parameters());
    return std::unique_ptr<Learner>(new Learner(std::make_unique<Parts>(
        Parts{parts_->model, parts_->optimizer_spec, parts_->share, std::move(cloned), std::move(fresh)})));
  });
}

}  // namespace fulcrum::workloads

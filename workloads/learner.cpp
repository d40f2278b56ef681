#include "workloads/learner.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/sum.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workloads/batch_tensors.h"
#include "workloads/device_turn.h"
#include "workloads/losses.h"
#include "workloads/mixed_precision.h"
#include "workloads/network.h"
#include "workloads/optimizers.h"
#include "workloads/torch_call.h"

namespace fulcrum::workloads {

struct Learner::Parts {
  ModelSpec model;
  OptimizationSpec how;
  DeviceShare share;
  std::unique_ptr<Network> network;
  std::vector<at::Tensor> parameters;
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  LossScale loss_scale = {};  // used in mixed precision
  bool deterministic = true;  // as far as Fulcrum can see to it
  std::optional<int> classes = {};
  bool updating = false;  // the weights may be between two states

  bool mixed() const { return how.precision == "mixed"; }

  std::string doing(const char* what, const Minibatch& minibatch) const {
    return fmt::format("running {} on a {} of {}", model.title(), what, shape_text(minibatch));
  }

  // The micro-batches, each with its share of the samples. The last may have fewer.
  template <class Use>
  void for_each_part(const BatchTensors& batch, Use&& use) const {
    const std::int64_t n = batch.inputs.size(0);
    const std::int64_t most = how.micro_batch_size > 0 ? how.micro_batch_size : n;
    for (std::int64_t first = 0; first < n; first += most) {
      const std::int64_t size = std::min(most, n - first);
      if (size == n) return use(batch, 1.0);
      use(BatchTensors{batch.inputs.narrow(0, first, size), batch.targets.narrow(0, first, size)},
          static_cast<double>(size) / static_cast<double>(n));
    }
  }

  // `output` is undefined for a loss in the model.
  struct Outcome {
    at::Tensor loss;  // mean over the samples
    at::Tensor output;
  };
  Outcome outcome(const BatchTensors& batch, const Minibatch& minibatch) {
    const Autocast autocast(mixed());
    if (how.loss == "in_model") return {network->loss_in_model(batch.inputs, batch.targets), {}};
    const at::Tensor output = network->forward(batch.inputs);
    if (how.classifies()) {
      check_labels(output, minibatch);
      classes = output.dim() > 1 ? static_cast<int>(output.size(1)) : 0;
    }
    return {mean_loss(how.loss, output, batch.targets), output};
  }

  void zero_gradients() const {
    for (const auto& parameter : parameters)
      parameter.mutable_grad().reset();
  }

  void update() {
    updating = true;
    if (mixed() && !loss_scale.unscale(parameters)) return;
    if (how.clipping) clip_gradients(*how.clipping, parameters);
    optimizer->step();
  }

  // The mean loss; the gradients are those of the whole minibatch.
  at::Tensor go_forward_and_back(const BatchTensors& batch, const Minibatch& minibatch) {
    zero_gradients();
    at::Tensor mean;
    for_each_part(batch, [&](const BatchTensors& part, double part_share) {
      const at::Tensor loss = outcome(part, minibatch).loss;
      TORCH_CHECK(loss.requires_grad(), "the loss does not depend on any parameter that is to be trained");
      const double factor = mixed() ? part_share * loss_scale.scale() : part_share;
      (factor == 1 ? loss : loss.mul(factor)).backward();
      const at::Tensor weighted = part_share == 1 ? loss.detach() : loss.detach().mul(part_share);
      mean = mean.defined() ? mean.add(weighted) : weighted;
    });
    return mean;
  }

  // Going forward has changed what the network counts, such as the means of batch-norm.
  struct BuffersBefore {
    explicit BuffersBefore(const Network& network) : buffers(network.buffers()) {
      for (const auto& buffer : buffers)
        values.push_back(buffer.detach().clone());
    }
    void restore() const {
      const at::NoGradGuard no_gradients;
      for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i].copy_(values[i]);
    }
    std::vector<at::Tensor> buffers;
    std::vector<at::Tensor> values;
  };

  TrainedMinibatch train(const Minibatch& minibatch, double lr_factor) {
    updating = false;
    const DeviceTurn turn(share);
    const auto batch = batch_tensors(minibatch, share.device());
    set_lr(*optimizer, how.optimizer.lr * lr_factor);
    std::optional<BuffersBefore> before;
    if (how.non_finite_loss == "skip") before.emplace(*network);
    const at::Tensor mean = go_forward_and_back(batch, minibatch);
    if (how.non_finite_loss != "continue" && !std::isfinite(mean.item<double>())) {
      TORCH_CHECK(before, "the loss is ", mean.item<double>(),
                  ": a lower learning rate or \"clip_gradients\" may help; \"non_finite_loss\" can have such "
                  "minibatches skipped");
      before->restore();
      share.synchronise();
      return {mean.item<double>(), true};
    }
    update();
    share.synchronise();
    return {mean.item<double>(), false};
  }

  Score evaluate(const Minibatch& minibatch) {
    const DeviceTurn turn(share);
    const at::NoGradGuard no_gradients;
    const auto batch = batch_tensors(minibatch, share.device());
    network->set_training(false);
    Score score;
    for_each_part(batch, [&](const BatchTensors& part, double /*part_share*/) {
      const Outcome result = outcome(part, minibatch);
      score.loss_sum += result.loss.item<double>() * static_cast<double>(part.inputs.size(0));
      if (!how.classifies()) return;
      const at::Tensor correct = at::sum(at::eq(at::argmax(result.output, 1), part.targets));
      score.correct += static_cast<std::uint64_t>(correct.item<std::int64_t>());
    });
    network->set_training(true);
    return score;
  }
};

Learner::Learner(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Learner::~Learner() = default;

Expected<std::unique_ptr<Learner>> Learner::create(const JobSpec& spec,
                                                   const std::shared_ptr<const ModelFile>& model,
                                                   std::vector<std::int64_t> sample_shape,
                                                   const LearnerOptions& options) {
  const OptimizationSpec& how = spec.training()->optimization;
  return torch_call("making the network and its optimizer", [&] {
    DeviceShare share(options.cpu_only ? c10::Device(c10::kCPU) : best_device(), options.intra_op_threads,
                      spec.seed);
    TORCH_CHECK(how.precision != "mixed" || share.device().is_cuda(), "mixed precision needs a CUDA device");
    std::unique_ptr<Network> network;
    {
      const DeviceTurn turn(share);
      network = make_network(spec.model, model.get(), sample_shape, share.device(),
                             spec.training()->deterministic ? Execution::as_written : Execution::optimized);
    }
    auto parameters = network->parameters();
    auto optimizer = make_optimizer(how.optimizer, parameters);
    return std::unique_ptr<Learner>(
        new Learner(std::make_unique<Parts>(Parts{spec.model,
                                                  how,
                                                  share,
                                                  std::move(network),
                                                  std::move(parameters),
                                                  std::move(optimizer),
                                                  {},
                                                  spec.training()->deterministic})));
  });
}

Expected<TrainedMinibatch> Learner::train(const Minibatch& minibatch, double lr_factor) {
  const DeviceShare before = parts_->share;
  const auto may_retry = [&] {
    parts_->share = before;  // with the same random numbers
    return !parts_->updating;
  };
  bool retried = false;
  auto trained = torch_call_retrying(
      parts_->doing("training minibatch", minibatch), retried,
      [&] { return parts_->train(minibatch, lr_factor); }, may_retry);
  if (trained) trained->retried = retried;
  return trained;
}

std::optional<int> Learner::classes() const {
  return parts_->classes;
}

Expected<Score> Learner::evaluate(const Minibatch& minibatch) {
  bool retried = false;
  return torch_call_retrying(
      parts_->doing("validation minibatch", minibatch), retried, [&] { return parts_->evaluate(minibatch); },
      [] { return true; });
}

Expected<LearnerState> Learner::save() const {
  return torch_call("saving the network and its optimizer", [&] {
    LearnerState state;
    state.model = parts_->network->save();
    state.optimizer = save_optimizer(*parts_->optimizer);
    state.random_states = parts_->share.random_states();
    state.intra_op_threads = parts_->share.intra_op_threads();
    state.loss_scale = parts_->loss_scale.state().scale;
    state.loss_scale_steps = parts_->loss_scale.state().steps;
    return state;
  });
}

Expected<void> Learner::load(const LearnerState& state) {
  return torch_call("restoring the network and its optimizer", [&] {
    parts_->network->load(state.model);
    load_optimizer(*parts_->optimizer, state.optimizer);
    parts_->share.restore(state.random_states,
                          parts_->deterministic ? state.intra_op_threads : parts_->share.intra_op_threads());
    if (state.loss_scale > 0) parts_->loss_scale.restore({state.loss_scale, state.loss_scale_steps});
  });
}

Expected<std::string> Learner::save_trained() const {
  return torch_call("saving the trained network", [&] { return parts_->network->save_trained(); });
}

std::string Learner::weights_digest() const {
  return digest_of(*parts_->network);
}

// On a CUDA device sums are taken in an order that varies.
bool Learner::deterministic() const {
  return parts_->deterministic && parts_->share.device().is_cpu();
}

Expected<std::unique_ptr<Learner>> Learner::copy() const {
  return torch_call("copying the network", [&] {
    auto network = parts_->network->clone();
    auto parameters = network->parameters();
    auto optimizer = make_optimizer(parts_->how.optimizer, parameters);
    auto how = parts_->how;
    how.non_finite_loss = "continue";
    return std::unique_ptr<Learner>(new Learner(std::make_unique<Parts>(
        Parts{parts_->model, std::move(how), parts_->share, std::move(network), std::move(parameters),
              std::move(optimizer), parts_->loss_scale, parts_->deterministic})));
  });
}

}  // namespace fulcrum::workloads

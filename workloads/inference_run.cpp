#include "workloads/inference_run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>

#include "workloads/batch_tensors.h"
#include "workloads/device_turn.h"
#include "workloads/job_files.h"
#include "workloads/network.h"
#include "workloads/torch_call.h"

namespace fulcrum::workloads {

struct InferenceRun::State {
  std::shared_ptr<const Dataset> dataset;
  DeviceShare share;
  std::unique_ptr<Network> network;
  const Clock& clock;

  std::vector<std::int64_t> predict(const Minibatch& minibatch) {
    const DeviceTurn turn(share);
    const at::NoGradGuard no_gradients;
    const auto batch = batch_tensors(minibatch, share.device());
    const at::Tensor classes = at::argmax(network->forward(batch.inputs), 1).cpu().contiguous();
    share.synchronise();
    const auto* first = classes.data_ptr<std::int64_t>();
    return {first, first + classes.numel()};
  }
};

InferenceRun::InferenceRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
InferenceRun::~InferenceRun() = default;

Expected<std::shared_ptr<const Dataset>> load_inference_data(const JobSpec& spec) {
  FULCRUM_TRY_ASSIGN(dataset, load_dataset(spec.inference()->source.dataset, spec.model.num_classes));
  FULCRUM_TRY(check_samples_fit(spec.model, dataset->layout()));
  return dataset;
}

Expected<std::unique_ptr<InferenceRun>> InferenceRun::create(const JobSpec& spec,
                                                             std::shared_ptr<const Dataset> dataset,
                                                             Options options) {
  return torch_call("making the network", [&] {
    DeviceShare share(best_device(), options.intra_op_threads, spec.seed);
    std::unique_ptr<Network> network;
    {
      const DeviceTurn turn(share);
      network = make_network(spec.model, share.device());
    }
    network->set_training(false);
    return std::unique_ptr<InferenceRun>(
        new InferenceRun(std::make_unique<State>(State{dataset, share, std::move(network), *options.clock})));
  });
}

std::size_t InferenceRun::dataset_size() const {
  return state_->dataset->size();
}

Expected<InferenceBatch> InferenceRun::run(const std::vector<std::size_t>& samples) {
  if (samples.empty())
    return fail(ErrorCode::invalid_argument, "an inference batch needs at least one sample");
  const TimePoint asked = state_->clock.now();
  FULCRUM_TRY_ASSIGN(minibatch, state_->dataset->read(samples));
  const TimePoint start = state_->clock.now();
  FULCRUM_TRY_ASSIGN(predictions,
                     torch_call("running an inference batch", [&] { return state_->predict(minibatch); }));
  InferenceBatch batch;
  batch.device_ms = to_ms(state_->clock.now() - start);
  batch.data_ms = to_ms(start - asked);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i] == minibatch.int_targets()[i]) ++batch.correct;
  }
  batch.predictions = std::move(predictions);
  return batch;
}

}  // namespace fulcrum::workloads

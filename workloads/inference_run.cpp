#include "workloads/inference_run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "workloads/batch_tensors.h"
#include "workloads/device_turn.h"
#include "workloads/job_files.h"
#include "workloads/network.h"
#include "workloads/torch_call.h"

namespace fulcrum::workloads {

namespace {

bool are_logits(const c10::IValue& answer, std::int64_t samples) {
  if (!answer.isTensor()) return false;
  const at::Tensor& tensor = answer.toTensor();
  return tensor.dim() == 2 && tensor.size(0) == samples && tensor.size(1) > 1 && tensor.is_floating_point();
}

}  // namespace

struct InferenceRun::State {
  State(std::shared_ptr<const Dataset> data, DeviceShare of_the_device, const Clock& the_clock,
        std::string model)
      : dataset(std::move(data)),
        share(std::move(of_the_device)),
        clock(the_clock),
        title(std::move(model)) {}

  std::shared_ptr<const Dataset> dataset;
  DeviceShare share;
  std::unique_ptr<Network> network;
  std::optional<WeightsOrigin> origin;
  const Clock& clock;
  std::string title;  // of the model

  // Whoever loads weights has it to itself until they are `fresh`, and may take that back.
  std::unique_ptr<Network> spare;
  std::mutex mutex;
  std::optional<WeightsOrigin> fresh;

  void load(const std::string& model, const WeightsOrigin& from) {
    {
      const std::lock_guard lock(mutex);
      fresh.reset();
    }
    spare->load(model);
    spare->set_training(false);
    share.synchronise();
    const std::lock_guard lock(mutex);
    fresh = from;
  }

  void change_over() {
    if (spare == nullptr) return;
    const std::lock_guard lock(mutex);
    if (!fresh) return;
    std::swap(network, spare);
    origin = std::exchange(fresh, std::nullopt);
  }

  std::string doing(const Minibatch& minibatch) const {
    return fmt::format("running {} on a batch of {}", title, shape_text(minibatch));
  }

  // The class of each sample; none if the answers are not logits.
  std::vector<std::int64_t> predict(const Minibatch& minibatch) {
    const DeviceTurn turn(share);
    const at::NoGradGuard no_gradients;
    const auto batch = batch_tensors(minibatch, share.device());
    const c10::IValue answer = network->answer(batch.inputs);
    if (!are_logits(answer, batch.inputs.size(0))) {
      share.synchronise();
      return {};
    }
    const at::Tensor classes = at::argmax(answer.toTensor(), 1).cpu().contiguous();
    share.synchronise();
    const auto* first = classes.data_ptr<std::int64_t>();
    return {first, first + classes.numel()};
  }
};

InferenceRun::InferenceRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
InferenceRun::~InferenceRun() = default;

Expected<InferenceData> load_inference_data(const JobSpec& spec) {
  FULCRUM_TRY_ASSIGN(model, read_model_file(spec));
  FULCRUM_TRY_ASSIGN(dataset, load_dataset(spec.inference()->source.dataset, class_limit(spec.model)));
  FULCRUM_TRY(check_samples_fit(spec.model, dataset->layout()));
  return InferenceData{std::move(dataset), std::move(model)};
}

Expected<std::unique_ptr<InferenceRun>> InferenceRun::create(const JobSpec& spec, InferenceData data,
                                                             Options options) {
  return torch_call("making the network", [&] {
    DeviceShare share(options.cpu_only ? c10::Device(c10::kCPU) : best_device(), options.intra_op_threads,
                      spec.seed);
    auto state = std::make_unique<State>(data.dataset, share, *options.clock, spec.model.title());
    {
      const DeviceTurn turn(state->share);
      state->network =
          make_network(spec.model, data.model.get(), data.dataset->layout().input.shape, share.device());
      if (options.takes_weights) state->spare = state->network->clone();
    }
    state->network->set_training(false);
    return std::unique_ptr<InferenceRun>(new InferenceRun(std::move(state)));
  });
}

std::size_t InferenceRun::dataset_size() const {
  return state_->dataset->size();
}

Expected<void> InferenceRun::load_weights(const std::string& model, const WeightsOrigin& origin) {
  return torch_call("loading the weights of step " + std::to_string(origin.step),
                    [&] { state_->load(model, origin); });
}

const std::optional<WeightsOrigin>& InferenceRun::origin() const {
  return state_->origin;
}

Expected<InferenceBatch> InferenceRun::run(const std::vector<std::size_t>& samples) {
  if (samples.empty())
    return fail(ErrorCode::invalid_argument, "an inference batch needs at least one sample");
  state_->change_over();
  const TimePoint asked = state_->clock.now();
  FULCRUM_TRY_ASSIGN(minibatch, state_->dataset->read(samples));
  const TimePoint start = state_->clock.now();
  InferenceBatch batch;
  FULCRUM_TRY_ASSIGN(predictions, torch_call_retrying(
                                      state_->doing(minibatch), batch.retried,
                                      [&] { return state_->predict(minibatch); }, [] { return true; }));
  batch.device_ms = to_ms(state_->clock.now() - start);
  batch.data_ms = to_ms(start - asked);
  if (!predictions.empty() && minibatch.layout->has_class()) batch.correct = 0;
  for (std::size_t i = 0; batch.correct && i < predictions.size(); ++i) {
    if (predictions[i] == minibatch.int_targets()[i]) ++*batch.correct;
  }
  batch.predictions = std::move(predictions);
  return batch;
}

}  // namespace fulcrum::workloads

#include "workloads/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/durable_file.h"
#include "workloads/checkpoint_writer.h"
#include "workloads/job_files.h"
#include "workloads/learner.h"
#include "workloads/lr_schedule.h"
#include "workloads/minibatch_loader.h"
#include "workloads/pinned_memory.h"
#include "workloads/training_checkpoint.h"

namespace fulcrum::workloads {

namespace {

constexpr int kMostSkippedInARow = 100;
constexpr std::size_t kToldValidations = 100;

void set_delivery(TrainingStep& step, const MinibatchLoader::Delivery& delivery) {
  step.samples = delivery.minibatch.size();
  step.data_ms = to_ms(delivery.stall);
  step.decode_ms = to_ms(delivery.decode);
  step.queued_ms = to_ms(delivery.queued);
}

}  // namespace

struct TrainingRun::State {
  State(JobSpec the_spec, TrainingData data, Options the_options)
      : spec(std::move(the_spec)),
        options(std::move(the_options)),
        model(std::move(data.model)),
        dataset(std::move(data.dataset)),
        validation_dataset(std::move(data.validation)) {}

  const TrainingSpec& training() const { return *spec.training(); }
  const Clock& clock() const { return *options.clock; }

  // Construction, in this order.
  void measure_data();
  Expected<void> resume(CheckpointStore& store);
  Expected<void> check_position() const;
  void start_loaders();

  std::unique_ptr<MinibatchLoader> make_loader(std::shared_ptr<const Dataset> data, bool validation) const;
  bool finished() const {
    return !position.validating && (position.epoch >= training().epochs || stopped_early);
  }
  const MinibatchLoader& current_loader() const { return position.validating ? *validation_loader : *loader; }
  bool validation_due() const;

  Expected<TrainingStep> training_step();
  Expected<TrainingStep> validation_step();
  Expected<void> account(const TrainingStep& step);
  void end_epoch();
  void end_validation();
  void judge_validations();

  const JobSpec spec;
  const Options options;
  std::shared_ptr<const ModelFile> model;
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const Dataset> validation_dataset;  // null without validation
  std::uint64_t minibatches_per_epoch = 0;
  std::uint64_t minibatches_per_validation = 0;
  Json fingerprint;

  std::unique_ptr<Learner> learner;
  TrainingPosition position;
  bool stopped_early = false;  // follows from the position
  std::unique_ptr<MinibatchLoader> loader;
  std::unique_ptr<MinibatchLoader> validation_loader;  // while validating

  std::unique_ptr<CheckpointWriter> writer;
  std::uint64_t saved_steps = 0;  // of the last checkpoint
  TimePoint saved_at{};
  bool resumed = false;
  std::vector<Error> warnings;
};

Json TrainingProgress::to_json() const {
  Json results = Json::array();
  for (std::size_t i = validations.size() - std::min(validations.size(), kToldValidations);
       i < validations.size(); ++i)
    results.push_back(workloads::to_json(validations[i]));
  return {{"epoch", epoch},
          {"epochs", epochs},
          {"minibatch", minibatch},
          {"minibatches_per_epoch", minibatches_per_epoch},
          {"samples_done", samples_done},
          {"train_loss", train_loss},
          {"skipped_minibatches", skipped_minibatches},
          {"validating", validating},
          {"validations", std::move(results)},
          {"stopped_early", stopped_early},
          {"deterministic", deterministic}};
}

Expected<TrainingData> load_training_data(const JobSpec& spec) {
  const TrainingSpec& training = *spec.training();
  const auto load = [&spec](const DatasetSpec& dataset,
                            const char* field) -> Expected<std::shared_ptr<const Dataset>> {
    auto loaded = load_dataset(dataset, class_limit(spec.model));
    if (!loaded) {
      loaded.error().field.insert(0, field);
      return loaded;
    }
    FULCRUM_TRY(check_samples_fit(spec.model, (*loaded)->layout()));
    FULCRUM_TRY(check_targets_fit(spec, (*loaded)->layout()));
    return loaded;
  };
  TrainingData data;
  FULCRUM_TRY_ASSIGN(model, read_model_file(spec));
  data.model = std::move(model);
  FULCRUM_TRY_ASSIGN(dataset, load(training.dataset, "/dataset"));
  data.dataset = std::move(dataset);
  if (training.validation) {
    FULCRUM_TRY_ASSIGN(validation, load(training.validation->dataset, "/validation/dataset"));
    data.validation = std::move(validation);
  }
  return data;
}

void TrainingRun::State::measure_data() {
  const auto batch_size = static_cast<std::size_t>(training().batch_size);
  minibatches_per_epoch = MinibatchLoader::minibatches_per_epoch(dataset->size(), batch_size);
  const std::size_t validation_size = validation_dataset != nullptr ? validation_dataset->size() : 0;
  minibatches_per_validation = MinibatchLoader::minibatches_per_epoch(validation_size, batch_size);
  fingerprint = fingerprint_of(spec, dataset->size(), validation_size, checksum_of(model.get()));
}

Expected<void> TrainingRun::State::resume(CheckpointStore& store) {
  FULCRUM_TRY_ASSIGN(stored, store.load_latest(warnings));
  if (!stored) return {};
  FULCRUM_TRY_ASSIGN(checkpoint, decode_training_checkpoint(stored->bytes));
  FULCRUM_TRY(check_fingerprint(checkpoint.fingerprint, fingerprint));
  position = std::move(checkpoint.position);
  FULCRUM_TRY(check_position());
  FULCRUM_TRY(learner->load(checkpoint.learner));
  judge_validations();
  saved_steps = position.steps;
  resumed = true;
  return {};
}

// A checkpoint with a right checksum may still have been written by a defective program.
Expected<void> TrainingRun::State::check_position() const {
  const bool in_epoch = position.epoch >= 0 && position.minibatch < minibatches_per_epoch;
  const bool in_validation =
      !position.validating ||
      (position.minibatch == 0 && position.validation_minibatch < minibatches_per_validation);
  if (in_epoch && in_validation) return {};
  return fail(ErrorCode::corrupt, "the checkpoint's position is outside its data set",
              "remove the checkpoints to train from the start");
}

std::unique_ptr<MinibatchLoader> TrainingRun::State::make_loader(std::shared_ptr<const Dataset> data,
                                                                 bool validation) const {
  MinibatchLoader::Options loading;
  loading.batch_size = static_cast<std::size_t>(training().batch_size);
  loading.epochs = validation ? 1 : static_cast<std::uint64_t>(training().epochs);
  loading.shuffle = !validation;
  loading.seed = spec.seed;
  loading.workers = static_cast<std::size_t>(training().loader.workers);
  loading.prefetch = static_cast<std::size_t>(training().loader.prefetch);
  loading.shard = static_cast<std::size_t>(training().loader.shard);
  loading.on_ready = options.on_ready;
  loading.allocate = batch_allocator();
  const LoaderPosition start =
      validation ? LoaderPosition{0, position.validation_minibatch}
                 : LoaderPosition{static_cast<std::uint64_t>(position.epoch), position.minibatch};
  return std::make_unique<MinibatchLoader>(std::move(data), std::move(loading), start, clock());
}

void TrainingRun::State::start_loaders() {
  loader = make_loader(dataset, false);
  if (position.validating) validation_loader = make_loader(validation_dataset, true);
}

bool TrainingRun::State::validation_due() const {
  if (!training().validation) return false;
  return position.epoch % training().validation->every_epochs == 0 || position.epoch == training().epochs;
}

Expected<TrainingStep> TrainingRun::State::training_step() {
  FULCRUM_TRY_ASSIGN(delivery, loader->next());
  TrainingStep step;
  set_delivery(step, delivery);
  const TimePoint start = clock().now();
  const std::uint64_t before =
      static_cast<std::uint64_t>(position.epoch) * minibatches_per_epoch + position.minibatch;
  const double rate = lr_factor(training().optimization.schedule, before, minibatches_per_epoch);
  FULCRUM_TRY_ASSIGN(trained, learner->train(delivery.minibatch, rate));
  step.device_ms = to_ms(clock().now() - start);
  step.loss = trained.loss;
  step.skipped = trained.skipped;
  step.retried = trained.retried;

  ++position.steps;
  ++position.minibatch;
  FULCRUM_TRY(account(step));
  if (position.minibatch == minibatches_per_epoch) {
    end_epoch();
    step.ends_epoch = !position.validating;
  }
  return step;
}

Expected<void> TrainingRun::State::account(const TrainingStep& step) {
  if (!step.skipped) {
    position.skipped_in_a_row = 0;
    position.epoch_loss_sum += step.loss * static_cast<double>(step.samples);
    position.epoch_samples += step.samples;
    return {};
  }
  ++position.skipped;
  if (++position.skipped_in_a_row < kMostSkippedInARow) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("the loss of {} minibatches in a row is not a finite number", kMostSkippedInARow),
              "a lower learning rate or \"clip_gradients\" may help, or the data has what is no number");
}

void TrainingRun::State::end_epoch() {
  ++position.epoch;
  position.minibatch = 0;
  // Not a number if nothing was learned.
  position.last_epoch_loss = position.epoch_loss_sum / static_cast<double>(position.epoch_samples);
  position.epoch_loss_sum = 0;
  position.epoch_samples = 0;
  if (!validation_due()) return;
  position.validating = true;
  position.validation_minibatch = 0;
  position.validation_loss_sum = 0;
  position.validation_correct = 0;
  validation_loader = make_loader(validation_dataset, true);
}

Expected<TrainingStep> TrainingRun::State::validation_step() {
  FULCRUM_TRY_ASSIGN(delivery, validation_loader->next());
  TrainingStep step;
  step.validation = true;
  set_delivery(step, delivery);
  const TimePoint start = clock().now();
  FULCRUM_TRY_ASSIGN(score, learner->evaluate(delivery.minibatch));
  step.device_ms = to_ms(clock().now() - start);
  step.loss = score.loss_sum / static_cast<double>(step.samples);

  ++position.steps;
  ++position.validation_minibatch;
  position.validation_loss_sum += score.loss_sum;
  position.validation_correct += score.correct;
  if (position.validation_minibatch == minibatches_per_validation) {
    end_validation();
    step.ends_epoch = true;
  }
  return step;
}

void TrainingRun::State::end_validation() {
  const auto samples = static_cast<double>(validation_dataset->size());
  const double accuracy = training().optimization.classifies()
                              ? static_cast<double>(position.validation_correct) / samples
                              : std::numeric_limits<double>::quiet_NaN();
  position.validations.push_back({position.epoch, accuracy, position.validation_loss_sum / samples});
  position.validating = false;
  position.validation_minibatch = 0;
  validation_loader.reset();
  judge_validations();
}

void TrainingRun::State::judge_validations() {
  stopped_early = training().early_stopping && stops_early(*training().early_stopping, position.validations);
}

Expected<std::unique_ptr<TrainingRun>> TrainingRun::create(const JobSpec& spec, TrainingData data,
                                                           CheckpointStore store, Options options) {
  auto state = std::make_unique<State>(spec, std::move(data), std::move(options));
  state->measure_data();
  FULCRUM_TRY_ASSIGN(learner, Learner::create(spec, state->model, state->dataset->layout().input.shape,
                                              {state->options.intra_op_threads, false}));
  state->learner = std::move(learner);
  if (auto resumed = state->resume(store); !resumed) {
    return in_context(std::move(resumed).error(), fmt::format("resuming from '{}'", store.directory()));
  }
  state->start_loaders();
  state->writer = std::make_unique<CheckpointWriter>(std::move(store));
  state->saved_at = state->clock().now();
  return std::unique_ptr<TrainingRun>(new TrainingRun(std::move(state)));
}

TrainingRun::TrainingRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrainingRun::~TrainingRun() = default;

std::uint64_t TrainingRun::steps_done() const {
  return state_->position.steps;
}
bool TrainingRun::resumed() const {
  return state_->resumed;
}
const std::vector<Error>& TrainingRun::warnings() const {
  return state_->warnings;
}
bool TrainingRun::finished() const {
  return state_->finished();
}
bool TrainingRun::ready() const {
  return !finished() && state_->current_loader().ready();
}

Expected<TrainingStep> TrainingRun::step() {
  if (finished()) return fail(ErrorCode::internal, "a step was asked of a training run that has finished");
  return state_->position.validating ? state_->validation_step() : state_->training_step();
}

TrainingProgress TrainingRun::progress() const {
  const auto& position = state_->position;
  const std::uint64_t size = state_->dataset->size();
  const auto batch_size = static_cast<std::uint64_t>(state_->training().batch_size);
  TrainingProgress progress;
  progress.epoch = position.epoch;
  progress.epochs = state_->training().epochs;
  progress.minibatch = position.minibatch;
  progress.minibatches_per_epoch = state_->minibatches_per_epoch;
  progress.samples_done =
      static_cast<std::uint64_t>(position.epoch) * size + std::min(position.minibatch * batch_size, size);
  progress.train_loss = position.epoch_samples > 0
                            ? position.epoch_loss_sum / static_cast<double>(position.epoch_samples)
                            : position.last_epoch_loss;
  progress.validating = position.validating;
  progress.validations = position.validations;
  progress.skipped_minibatches = position.skipped;
  progress.stopped_early = state_->stopped_early;
  progress.deterministic = state_->learner->deterministic();
  return progress;
}

Expected<StoredCheckpoint> TrainingRun::snapshot() const {
  FULCRUM_TRY_ASSIGN(learner, state_->learner->save());
  return StoredCheckpoint{state_->position.steps,
                          encode({state_->fingerprint, state_->position, std::move(learner)})};
}

bool TrainingRun::checkpoint_due() const {
  if (state_->position.steps == state_->saved_steps) return false;
  return finished() || state_->position.just_validated() ||
         to_s(state_->clock().now() - state_->saved_at) >= state_->training().checkpoint_every_s;
}

Expected<void> TrainingRun::save_checkpoint() {
  FULCRUM_TRY_ASSIGN(checkpoint, snapshot());
  state_->saved_steps = checkpoint.step;
  state_->saved_at = state_->clock().now();
  state_->writer->submit(std::move(checkpoint));
  return {};
}

std::optional<Error> TrainingRun::checkpoint_trouble() const {
  return state_->writer->trouble();
}

Expected<void> TrainingRun::flush_checkpoints() {
  return state_->writer->flush();
}

Expected<void> TrainingRun::write_output(const std::string& path) const {
  FULCRUM_TRY_ASSIGN(network, state_->learner->save_trained());
  return replace_file(path, network);
}

std::string TrainingRun::weights_digest() const {
  return state_->learner->weights_digest();
}

Expected<std::unique_ptr<TrainingTrial>> TrainingRun::make_trial() const {
  std::vector<std::size_t> samples(static_cast<std::size_t>(state_->training().batch_size));
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  for (auto& sample : samples)
    sample %= state_->dataset->size();  // full, though the data set be small
  FULCRUM_TRY_ASSIGN(minibatch, state_->dataset->read(samples, {state_->spec.seed, 0, nullptr}));
  FULCRUM_TRY_ASSIGN(learner, state_->learner->copy());
  return std::make_unique<TrainingTrial>(std::move(learner), std::move(minibatch));
}

TrainingTrial::TrainingTrial(std::unique_ptr<Learner> learner, Minibatch minibatch)
    : learner_(std::move(learner)), minibatch_(std::move(minibatch)) {}
TrainingTrial::~TrainingTrial() = default;

Expected<void> TrainingTrial::step() {
  FULCRUM_TRY(learner_->train(minibatch_, 1));
  return {};
}

}  // namespace fulcrum::workloads

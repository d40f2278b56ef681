#include "workloads/job_trial.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "common/clock.h"
#include "workloads/inference_run.h"
#include "workloads/learner.h"
#include "workloads/training_run.h"

namespace fulcrum::workloads {

namespace {

constexpr std::size_t kMostSamples = 3;

int all_threads() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::vector<std::size_t> first_samples(std::size_t n, const Dataset& dataset) {
  std::vector<std::size_t> samples(n);
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  for (auto& sample : samples)
    sample %= dataset.size();
  return samples;
}

// How many samples go through the network at a time in an epoch: the most and the least.
std::pair<std::size_t, std::size_t> part_sizes(const TrainingSpec& training, std::size_t dataset_size) {
  const auto batch_size = static_cast<std::size_t>(training.batch_size);
  const auto micro = static_cast<std::size_t>(training.optimization.micro_batch_size);
  const std::size_t rest = dataset_size % batch_size;
  std::size_t most = 0;
  std::size_t least = batch_size;
  for (const std::size_t minibatch : {std::min(batch_size, dataset_size), rest == 0 ? batch_size : rest}) {
    const std::size_t part = micro == 0 ? minibatch : std::min(micro, minibatch);
    const std::size_t last = minibatch % part == 0 ? part : minibatch % part;
    most = std::max(most, part);
    least = std::min({least, part, last});
  }
  return {most, least};
}

// Two sizes, where the job has two: a model that was traced may have kept the one it was traced with, and
// batch-norm does not take a single sample everywhere.
std::vector<std::size_t> sizes_to_train(const TrainingSpec& training, std::size_t dataset_size) {
  const auto [most, least] = part_sizes(training, dataset_size);
  std::vector<std::size_t> sizes{std::min(most, kMostSamples), std::min(least, kMostSamples - 1)};
  if (sizes.front() == sizes.back()) sizes.pop_back();
  return sizes;
}

// What LibTorch says of a model is no defect of Fulcrum.
Error at_model(Error error, const JobSpec& spec) {
  if (error.field.empty()) error.field = spec.model.field();
  if (error.code == ErrorCode::internal) error.code = ErrorCode::invalid_argument;
  return error;
}

// The CPU knows no mixed precision. Each minibatch is small enough to be a micro-batch.
JobSpec for_the_trial(const JobSpec& spec) {
  JobSpec same = spec;
  auto& how = std::get<TrainingSpec>(same.kind).optimization;
  how.precision = "float32";
  how.micro_batch_size = 0;
  how.non_finite_loss = "continue";  // its first steps have no warm-up
  return same;
}

// The few samples that ran may have had other labels than the rest.
Expected<void> check_all_labels(const TrainingSpec& training, int classes) {
  if (auto all = load_dataset(training.dataset, classes); !all) {
    all.error().field.insert(0, "/dataset");
    return Unexpected(std::move(all).error());
  }
  if (!training.validation) return {};
  if (auto all = load_dataset(training.validation->dataset, classes); !all) {
    all.error().field.insert(0, "/validation/dataset");
    return Unexpected(std::move(all).error());
  }
  return {};
}

Expected<void> try_training(const JobSpec& spec) {
  FULCRUM_TRY_ASSIGN(data, load_training_data(spec));
  FULCRUM_TRY_ASSIGN(learner, Learner::create(for_the_trial(spec), data.model,
                                              data.dataset->layout().input.shape, {all_threads(), true}));
  for (const std::size_t n : sizes_to_train(*spec.training(), data.dataset->size())) {
    FULCRUM_TRY_ASSIGN(minibatch, data.dataset->read(first_samples(n, *data.dataset)));
    FULCRUM_TRY(learner->train(minibatch, 1));
  }
  if (data.validation != nullptr) {
    FULCRUM_TRY_ASSIGN(minibatch, data.validation->read(first_samples(1, *data.validation)));
    FULCRUM_TRY(learner->evaluate(minibatch));
  }
  return learner->classes() ? check_all_labels(*spec.training(), *learner->classes()) : Expected<void>();
}

Expected<void> try_inference(const JobSpec& spec) {
  FULCRUM_TRY_ASSIGN(data, load_inference_data(spec));
  const SystemClock clock;
  const auto& sizes = spec.inference()->batch_sizes;
  const auto dataset = data.dataset;
  FULCRUM_TRY_ASSIGN(run, InferenceRun::create(spec, std::move(data), {all_threads(), &clock, true}));
  for (const int size : {sizes.front(), sizes.back()}) {
    const auto n = std::min(static_cast<std::size_t>(size), kMostSamples);
    FULCRUM_TRY(run->run(first_samples(n, *dataset)));
  }
  return {};
}

}  // namespace

std::vector<Error> try_job(const JobSpec& spec) {
  auto tried = spec.training() != nullptr ? try_training(spec) : try_inference(spec);
  if (tried) return {};
  return {at_model(std::move(tried).error(), spec)};
}

}  // namespace fulcrum::workloads

#include "worker/torch_workloads.h"

#include <unistd.h>

#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "workloads/inference_run.h"
#include "workloads/runtime.h"
#include "workloads/training_run.h"
#include "workloads/weights_follower.h"

namespace fulcrum::worker {

namespace {

using workloads::CheckpointStore;
using workloads::InferenceRun;
using workloads::TrainingRun;
using workloads::WeightsFollower;
using workloads::WeightsOrigin;

// The worker before this one may still be dying with a hand on the checkpoints; this is a thread that may
// wait.
constexpr std::chrono::milliseconds kLockRetry{50};
constexpr int kLockTries = 200;
constexpr int kKeptAtTheGate = 2;

Expected<CheckpointStore> open_checkpoints(const std::string& directory, int kept) {
  for (int i = 1;; ++i) {
    auto store = CheckpointStore::open(directory, kept);
    if (store || store.error().code != ErrorCode::busy || i == kLockTries) return store;
    std::this_thread::sleep_for(kLockRetry);
  }
}

constexpr const char* kRetried =
    "memory ran out in a step; it was done again after what was cached had been given back";

// After a fault of the device nothing works any more that this process does on it. The daemon, which sees in
// whose step that was, starts another.
template <class T>
Expected<T> unless_device_lost(Expected<T> result, const Logger& log) {
  if (result || result.error().code != ErrorCode::device_lost) return result;
  log->critical("the device is lost: {}", result.error().to_string());
  log->flush();
  ::_exit(kDeviceLostStatus);
}

class TorchTraining final : public TrainingWorkload {
 public:
  TorchTraining(std::unique_ptr<TrainingRun> run, std::string output, Logger log)
      : run_(std::move(run)), output_(std::move(output)), log_(std::move(log)) {}

  Expected<void> trial_step() override {
    if (!trial_) {
      FULCRUM_TRY_ASSIGN(trial, run_->make_trial());
      trial_ = std::move(trial);
    }
    return unless_device_lost(trial_->step(), log_);
  }

  void end_trial() override { trial_.reset(); }

  bool ready() const override { return run_->ready(); }
  bool finished() const override { return run_->finished(); }

  Expected<Step> step() override {
    FULCRUM_TRY_ASSIGN(step, unless_device_lost(run_->step(), log_));
    if (step.retried) log_->warn("{}", kRetried);
    const Step taken{step.validation, step.ends_epoch};
    if (step.validation) return taken;
    fetch_stall_ms_ += step.data_ms;
    decode_ms_ += step.decode_ms;
    queued_ms_ += step.queued_ms;
    return taken;
  }

  // Training goes on without a checkpoint that could not be written; the next may succeed.
  void checkpoint_if_due() override {
    if (!run_->checkpoint_due()) return;
    if (auto saved = run_->save_checkpoint(); !saved) log_->warn("{}", saved.error().to_string());
    const auto trouble = run_->checkpoint_trouble();
    if (trouble && !std::exchange(trouble_told_, true))
      log_->warn("a checkpoint could not be written, training goes on: {}", trouble->to_string());
    if (!trouble) trouble_told_ = false;
  }

  Json progress() const override {
    Json json = run_->progress().to_json();
    json["fetch_stall_ms"] = fetch_stall_ms_;
    json["decode_ms"] = decode_ms_;
    json["queued_ms"] = queued_ms_;
    if (const auto trouble = run_->checkpoint_trouble()) json["checkpoint_trouble"] = trouble->to_string();
    return json;
  }

  Expected<void> close() override {
    FULCRUM_TRY(run_->save_checkpoint());
    return run_->flush_checkpoints();
  }

  Expected<Json> finish() override {
    // The output is what the user asked for; a checkpoint that fails now costs nothing.
    if (auto closed = close(); !closed) log_->warn("{}", closed.error().to_string());
    Json result{{"weights_digest", run_->weights_digest()}};
    if (!output_.empty()) {
      FULCRUM_TRY(run_->write_output(output_));
      result["output"] = output_;
    }
    const auto validations = run_->progress().validations;
    if (!validations.empty()) {
      result["loss"] = validations.back().loss;
      if (!std::isnan(validations.back().accuracy)) result["accuracy"] = validations.back().accuracy;
    }
    return result;
  }

 private:
  std::unique_ptr<TrainingRun> run_;
  std::unique_ptr<workloads::TrainingTrial> trial_;
  std::string output_;
  Logger log_;
  // Sums over the training minibatches of this process.
  double fetch_stall_ms_ = 0;
  double decode_ms_ = 0;
  double queued_ms_ = 0;
  bool trouble_told_ = false;  // once is enough for the log
};

class TorchInference final : public InferenceWorkload {
 public:
  TorchInference(std::unique_ptr<InferenceRun> run, Logger log)
      : run_(std::move(run)), log_(std::move(log)) {}

  // The weights are those of a training job from now on, as it learns.
  void follow(JobId job, WeightsFollower::Options options) {
    served_job_ = job;
    follower_ = std::make_unique<WeightsFollower>(
        std::move(options), [this](const std::string& model, const WeightsOrigin& origin) {
          return run_->load_weights(model, origin);
        });
    follower_->look();  // not with the first weights if there are better ones
    follower_->start();
  }

  Json progress() const override {
    if (!follower_) return Json::object();
    const auto status = follower_->status();
    Json serving{{"job", served_job_},      {"step", nullptr},
                 {"epoch", nullptr},        {"validation", nullptr},
                 {"requests", answered_},   {"accuracy", nullptr},
                 {"changes", status.taken}, {"held_back", status.held_back}};
    if (const auto& origin = run_->origin()) {
      serving["step"] = origin->step;
      serving["epoch"] = origin->epoch;
      if (origin->validation) serving["validation"] = workloads::to_json(*origin->validation);
    }
    if (correct_ && answered_ > 0)
      serving["accuracy"] = static_cast<double>(*correct_) / static_cast<double>(answered_);
    if (status.trouble) serving["trouble"] = status.trouble->to_string();
    return {{"serving", std::move(serving)}};
  }

  Expected<void> trial_step(int batch_size) override {
    std::vector<std::uint64_t> requests(static_cast<std::size_t>(batch_size));
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i] = i;
    FULCRUM_TRY(answer(requests));
    return {};
  }

  Expected<std::optional<std::uint64_t>> run(const std::vector<std::uint64_t>& requests) override {
    FULCRUM_TRY_ASSIGN(correct, answer(requests));
    if (const auto step = step_of_weights(); step != std::exchange(counted_step_, step)) {
      answered_ = 0;
      correct_ = 0;
    }
    answered_ += requests.size();
    if (!correct) correct_.reset();
    if (correct_) *correct_ += *correct;
    return correct;
  }

 private:
  // Request number i asks for sample i of the dataset, which begins anew at its end.
  Expected<std::optional<std::uint64_t>> answer(const std::vector<std::uint64_t>& requests) {
    std::vector<std::size_t> samples;
    samples.reserve(requests.size());
    for (const auto request : requests)
      samples.push_back(static_cast<std::size_t>(request % run_->dataset_size()));
    FULCRUM_TRY_ASSIGN(batch, unless_device_lost(run_->run(samples), log_));
    if (batch.retried) log_->warn("{}", kRetried);
    return batch.correct;
  }

  std::optional<std::uint64_t> step_of_weights() const {
    const auto& origin = run_->origin();
    return origin ? std::optional(origin->step) : std::nullopt;
  }

  std::unique_ptr<InferenceRun> run_;
  Logger log_;
  JobId served_job_ = 0;
  std::unique_ptr<WeightsFollower> follower_;  // is gone before the run
  // Of the weights that answered last.
  std::optional<std::uint64_t> counted_step_;
  std::uint64_t answered_ = 0;
  std::optional<std::uint64_t> correct_ = 0;
};

}  // namespace

Expected<WorkloadFactory::Build> TorchWorkloadFactory::load(const StartJob& start,
                                                            std::function<void()> wake) {
  return start.spec.training() != nullptr ? load_training(start, std::move(wake)) : load_inference(start);
}

Expected<WorkloadFactory::Build> TorchWorkloadFactory::load_training(const StartJob& start,
                                                                     std::function<void()> wake) {
  FULCRUM_TRY_ASSIGN(data, workloads::load_training_data(start.spec));
  FULCRUM_TRY_ASSIGN(opened,
                     open_checkpoints(start.checkpoint_directory, start.spec.training()->checkpoints_kept));
  // A std::function must be copyable, so the store travels in a shared_ptr.
  const auto store = std::make_shared<CheckpointStore>(std::move(opened));
  return Build([this, start, data, store, wake = std::move(wake)]() -> Expected<Workload> {
    FULCRUM_TRY_ASSIGN(
        run, TrainingRun::create(start.spec, data, std::move(*store), {start.threads, &clock_, wake}));
    for (const auto& warning : run->warnings())
      log_->warn("job {}: {}", start.job, warning.to_string());
    if (run->resumed()) log_->info("job {} continues after {} steps", start.job, run->steps_done());
    return Workload(std::make_unique<TorchTraining>(std::move(run), start.spec.training()->output, log_));
  });
}

Expected<WorkloadFactory::Build> TorchWorkloadFactory::load_inference(const StartJob& start) {
  FULCRUM_TRY_ASSIGN(data, workloads::load_inference_data(start.spec));
  const auto following = std::make_shared<WeightsFollower::Options>();
  if (start.served) {
    following->directory = start.served->checkpoint_directory;
    following->gated = start.served->gated;
    if (following->gated) {
      FULCRUM_TRY_ASSIGN(kept, open_checkpoints(start.checkpoint_directory, kKeptAtTheGate));
      following->kept = std::move(kept);
    }
  }
  return Build([this, start, data = std::move(data), following]() -> Expected<Workload> {
    FULCRUM_TRY_ASSIGN(run, InferenceRun::create(start.spec, data,
                                                 {start.threads, &clock_, false, start.served.has_value()}));
    auto inference = std::make_unique<TorchInference>(std::move(run), log_);
    if (start.served) inference->follow(start.served->job, std::move(*following));
    return Workload(std::move(inference));
  });
}

std::string torch_version() {
  return workloads::libtorch_version();
}
std::string torch_device() {
  return workloads::device_name();
}

}  // namespace fulcrum::worker

#include "workloads/weights_follower.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/training_checkpoint.h"

namespace fulcrum::workloads {

namespace {

constexpr int kLowPriority = 10;

WeightsOrigin origin_of(const StoredCheckpoint& stored, const TrainingPosition& position) {
  WeightsOrigin origin{stored.step, position.epoch};
  if (position.just_validated()) origin.validation = position.validations.back();
  return origin;
}

bool is_worse(const ValidationResult& one, const ValidationResult& than) {
  EarlyStoppingSpec by;
  if (!std::isnan(than.accuracy)) by.metric = "accuracy";
  return is_better(than, one, by);
}

}  // namespace

WeightsFollower::~WeightsFollower() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WeightsFollower::start() {
  thread_ = std::thread([this] {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowPriority);
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      look();
      lock.lock();
      changed_.wait_for(lock, options_.period, [this] { return stopping_; });
    }
  });
}

WeightsFollower::Status WeightsFollower::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void WeightsFollower::look() {
  auto looked = std::exchange(looked_, true) ? Expected<void>() : take_kept();
  if (looked) looked = take_new();
  if (looked) return;
  const std::lock_guard lock(mutex_);
  status_.trouble = std::move(looked).error();
}

Expected<void> WeightsFollower::take_kept() {
  if (!options_.kept) return {};
  std::vector<Error> broken;
  FULCRUM_TRY_ASSIGN(stored, options_.kept->load_latest(broken));
  if (!stored) return {};
  seen_ = stored->step;
  FULCRUM_TRY_ASSIGN(checkpoint, decode_training_checkpoint(stored->bytes));
  return hand_on(checkpoint.learner.model, origin_of(*stored, checkpoint.position));
}

// From the newest on. Others may have been written meanwhile; the next look finds them.
Expected<void> WeightsFollower::take_new() {
  FULCRUM_TRY_ASSIGN(steps, list_checkpoints(options_.directory));
  const std::uint64_t seen = seen_;
  Expected<void> result;
  for (const std::uint64_t step : steps) {
    if (step <= seen) break;
    seen_ = std::max(seen_, step);
    const auto stored = read_checkpoint(options_.directory, step);
    if (!stored && stored.error().code == ErrorCode::not_found) continue;
    const auto enough = stored ? consider(*stored) : Unexpected(stored.error());
    if (enough && *enough) return {};
    if (!enough) result = Unexpected(enough.error());
  }
  return result;
}

Expected<bool> WeightsFollower::consider(const StoredCheckpoint& stored) {
  FULCRUM_TRY_ASSIGN(checkpoint, decode_training_checkpoint(stored.bytes));
  const WeightsOrigin origin = origin_of(stored, checkpoint.position);
  if (!passes(origin)) {
    const std::lock_guard lock(mutex_);
    ++status_.held_back;
    return false;
  }
  FULCRUM_TRY(hand_on(checkpoint.learner.model, origin));
  if (options_.kept) FULCRUM_TRY(options_.kept->write(stored.step, stored.bytes));
  return true;
}

Expected<void> WeightsFollower::hand_on(const std::string& model, const WeightsOrigin& origin) {
  FULCRUM_TRY(take_(model, origin));
  last_ = origin;
  const std::lock_guard lock(mutex_);
  ++status_.taken;
  status_.trouble.reset();
  return {};
}

bool WeightsFollower::passes(const WeightsOrigin& origin) const {
  if (!options_.gated) return true;
  if (!origin.validation) return false;
  return !last_ || !last_->validation || !is_worse(*origin.validation, *last_->validation);
}

}  // namespace fulcrum::workloads

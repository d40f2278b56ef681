#include "worker/thinker.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "scheduler/decision.h"

namespace fulcrum::worker {

namespace {

constexpr int kLeastPriority = 19;

// Of this thread alone. SCHED_IDLE would let a busy board starve it.
void take_least_priority() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeastPriority);
}

}  // namespace

// Remembers that learning failed, which a strategy does not say, and begins nothing when the end is near.
class Thinker::WatchedLearner final : public scheduler::Learner {
 public:
  WatchedLearner(std::shared_ptr<const scheduler::Learner> learner, const std::atomic<bool>& ending)
      : learner_(std::move(learner)), ending_(ending) {}

  Expected<std::vector<scheduler::LearnedPoint>> learn(const std::vector<scheduler::Profile>& samples,
                                                       const std::vector<scheduler::LearnerPoint>& points,
                                                       std::uint64_t seed) const override {
    if (ending_) return fail(ErrorCode::unavailable, "the worker shuts down");
    auto learned = learner_->learn(samples, points, seed);
    if (!learned) failure_ = learned.error();
    return learned;
  }

  std::optional<Error> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  std::shared_ptr<const scheduler::Learner> learner_;
  const std::atomic<bool>& ending_;
  mutable std::optional<Error> failure_;
};

Thinker::Thinker(std::shared_ptr<const scheduler::Learner> learner, Send send)
    : send_(std::move(send)),
      learner_(std::make_shared<WatchedLearner>(std::move(learner), ending_)),
      thread_([this] { run(); }) {}

Thinker::~Thinker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Thinker::think(Think question) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(std::move(question));
  }
  changed_.notify_one();
}

void Thinker::run() {
  take_least_priority();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || waiting_; });
    if (ending_) return;
    const Think question = std::move(*waiting_);
    waiting_.reset();
    lock.unlock();
    Thought thought = answer(question);
    if (!ending_) send_(std::move(thought));
    lock.lock();
  }
}

Thought Thinker::answer(const Think& question) {
  Thought thought;
  thought.id = question.id;
  if (auto prepared = prepare(question); !prepared) {
    thought.error = prepared.error();
    return thought;
  }
  const auto advice = scheduler::advice_of(*strategy_, question.problem, question.profiles);
  thought.error = learner_->take_failure();
  if (const auto* measure = std::get_if<scheduler::Measure>(&advice)) thought.measure = *measure;
  return thought;
}

Expected<void> Thinker::prepare(const Think& question) {
  const auto key = fmt::format("{} {}", question.seed, question.strategy);
  if (key == prepared_for_) return {};
  scheduler::StrategyTools tools;
  tools.seed = question.seed;
  tools.learner = learner_;
  FULCRUM_TRY_ASSIGN(strategy, scheduler::make_strategy(question.strategy, tools));
  strategy_ = std::move(strategy);
  prepared_for_ = key;
  return {};
}

}  // namespace fulcrum::worker

#include "worker/thinker.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <deque>
#include <future>

#include "tests/unit/scheduler/cheap_learner.h"
#include "tests/unit/scheduler/made_up_board.h"

namespace fulcrum::worker {
namespace {

using scheduler::CheapLearner;
using scheduler::LearnedPoint;
using scheduler::LearnerPoint;
using scheduler::Profile;

Think some_question(std::uint64_t id = 1) {
  Think think;
  think.id = id;
  think.strategy = "als-6";
  think.problem.grid = scheduler::grid_of({1, 2}, {1, 2, 3}, {1, 2, 3}, {1});
  return think;
}

// With as many profiles as make it learn.
Think learning_question(std::uint64_t id = 1) {
  auto think = some_question(id);
  const auto strategy = scheduler::make_strategy(think.strategy, scheduler::cheap_tools()).value();
  for (int i = 0; i < 3; ++i) {
    const auto step = strategy->next(think.problem, think.profiles);
    const auto& m = std::get<scheduler::Measure>(step);
    const auto f = static_cast<double>(m.mode.cpu_khz);
    if (!think.profiles.add({m.task, m.mode, m.batch_size, 10 / f, 10 / f, 5 * f}))
      throw std::logic_error("");
  }
  return think;
}

// Thoughts as they come, for the test's thread.
class Thoughts {
 public:
  Thinker::Send sink() {
    return [this](FromWorker message) {
      const std::lock_guard lock(mutex_);
      thoughts_.push_back(std::get<Thought>(std::move(message)));
      changed_.notify_one();
    };
  }
  Thought next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !thoughts_.empty(); });
    Thought first = std::move(thoughts_.front());
    thoughts_.pop_front();
    return first;
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return thoughts_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Thought> thoughts_;
};

// Says when it is asked, and answers when it may.
class SlowLearner final : public scheduler::Learner {
 public:
  Expected<std::vector<LearnedPoint>> learn(const std::vector<Profile>& samples,
                                            const std::vector<LearnerPoint>& points,
                                            std::uint64_t seed) const override {
    if (!std::exchange(asked_already_, true)) {
      asked.set_value(::getpriority(PRIO_PROCESS, 0));
      may_go_on.get_future().wait();
    }
    return CheapLearner().learn(samples, points, seed);
  }

  mutable std::promise<int> asked;
  mutable std::promise<void> may_go_on;

 private:
  mutable bool asked_already_ = false;
};

TEST(Thinker, SaysWhatTheStrategyWouldMeasure) {
  Thoughts thoughts;
  Thinker thinker(std::make_shared<CheapLearner>(), thoughts.sink());
  for (const auto& question : {some_question(4), learning_question(5)}) {
    thinker.think(question);
    const auto thought = thoughts.next();
    const auto step = scheduler::make_strategy(question.strategy, scheduler::cheap_tools())
                          .value()
                          ->next(question.problem, question.profiles);
    EXPECT_EQ(thought.id, question.id);
    ASSERT_TRUE(thought.measure);
    EXPECT_EQ(thought.measure->to_string(), std::get<scheduler::Measure>(step).to_string());
    EXPECT_FALSE(thought.error);
  }
}

TEST(Thinker, SaysWhenThereIsNothingMoreToMeasure) {
  Thoughts thoughts;
  Thinker thinker(std::make_shared<CheapLearner>(), thoughts.sink());
  auto question = learning_question();
  question.strategy = "als-3";
  thinker.think(question);
  const auto thought = thoughts.next();
  EXPECT_FALSE(thought.measure);
  EXPECT_FALSE(thought.error);
}

TEST(Thinker, SaysWhyItCannotThink) {
  Thoughts thoughts;
  Thinker thinker(std::make_shared<scheduler::FailingLearner>(), thoughts.sink());
  thinker.think(learning_question());
  EXPECT_TRUE(thoughts.next().error);
  auto unknown = some_question();
  unknown.strategy = "no-such";
  thinker.think(unknown);
  EXPECT_TRUE(thoughts.next().error);
  thinker.think(some_question());
  EXPECT_FALSE(thoughts.next().error) << "what failed before is forgotten";
}

TEST(Thinker, ThinksWithTheLeastPriorityOnAThreadOfItsOwn) {
  Thoughts thoughts;
  const auto learner = std::make_shared<SlowLearner>();
  Thinker thinker(learner, thoughts.sink());
  thinker.think(learning_question());
  EXPECT_EQ(learner->asked.get_future().get(), 19);
  EXPECT_LT(::getpriority(PRIO_PROCESS, 0), 19);
  learner->may_go_on.set_value();
  thoughts.next();
}

TEST(Thinker, ALaterQuestionOvertakesThoseThatWait) {
  Thoughts thoughts;
  const auto learner = std::make_shared<SlowLearner>();
  Thinker thinker(learner, thoughts.sink());
  thinker.think(learning_question(1));
  learner->asked.get_future().wait();
  thinker.think(learning_question(2));
  thinker.think(learning_question(3));
  learner->may_go_on.set_value();
  EXPECT_EQ(thoughts.next().id, 1U);
  EXPECT_EQ(thoughts.next().id, 3U);
}

TEST(Thinker, EndsWhenTheFitThatRunsIsOver) {
  Thoughts thoughts;
  const auto learner = std::make_shared<SlowLearner>();
  auto thinker = std::make_unique<Thinker>(learner, thoughts.sink());
  thinker->think(learning_question());
  learner->asked.get_future().wait();
  auto ended = std::async(std::launch::async, [&thinker] { thinker.reset(); });
  learner->may_go_on.set_value();
  ended.wait();
  EXPECT_LE(thoughts.waiting(), 1U);
}

}  // namespace
}  // namespace fulcrum::worker

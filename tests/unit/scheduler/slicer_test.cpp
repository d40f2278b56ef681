#include "scheduler/slicer.h"

#include <gtest/gtest.h>

namespace fulcrum::scheduler {
namespace {

// One camera in batches of 4 (10 ms; partial ones of 1 take 4 ms), budget 100 ms, margin 5 ms; training in
// steps of 9 ms, 6 a window of 66.7 ms.
Plan plan() {
  Plan plan;
  plan.inference.push_back({1, "camera", 4, 60, 66.7, 100, 76.7, {{1, 3, 4}, {4, 9, 10}}, ""});
  plan.training.push_back({2, "fashion", {16, 8, 9}, ""});
  plan.margin_ms = 5;
  plan.window_ms = 66.7;
  plan.training_per_window = 6;
  return plan;
}

const TimePoint kNow{std::chrono::seconds(100)};

TimePoint ms_ago(double ms) {
  return kNow - from_ms(ms);
}

Queues queues(std::size_t queued, double oldest_ms_ago, bool training_ready = true, int trained = 0) {
  Queues q;
  q.inference.push_back({1, queued, ms_ago(oldest_ms_ago)});
  q.training.push_back({2, training_ready, 0});
  q.trained_in_window = trained;
  q.window_end = kNow + from_ms(30);
  return q;
}

template <class T>
const T* as(const Slice& slice) {
  return std::get_if<T>(&slice);
}

TEST(NextSlice, StartsAFullBatchAtOnce) {
  const auto slice = next_slice(queues(4, 1), plan(), kNow);
  ASSERT_NE(as<RunInference>(slice), nullptr);
  EXPECT_EQ(as<RunInference>(slice)->batch, 4);
}

TEST(NextSlice, TakesNoMoreThanABatch) {
  const auto slice = next_slice(queues(9, 1), plan(), kNow);
  ASSERT_NE(as<RunInference>(slice), nullptr);
  EXPECT_EQ(as<RunInference>(slice)->batch, 4);
}

TEST(NextSlice, StartsAPartialBatchAtItsLatestStart) {
  // 100 - 5 - 10 (it may have grown full by then) = 85 ms after its arrival.
  EXPECT_EQ(as<RunInference>(next_slice(queues(1, 84.9), plan(), kNow)), nullptr);
  const auto slice = next_slice(queues(1, 85), plan(), kNow);
  ASSERT_NE(as<RunInference>(slice), nullptr);
  EXPECT_EQ(as<RunInference>(slice)->batch, 1);
}

TEST(NextSlice, TrainsWhileNothingIsDue) {
  const auto slice = next_slice(queues(0, 0), plan(), kNow);
  ASSERT_NE(as<RunTraining>(slice), nullptr);
  EXPECT_EQ(as<RunTraining>(slice)->job, 2);
}

TEST(NextSlice, DoesNotTrainIntoTheNextLatestStart) {
  // A full batch must start 85 ms after its oldest request: 9 ms of training fit until 76 ms after it.
  EXPECT_NE(as<RunTraining>(next_slice(queues(2, 76), plan(), kNow)), nullptr);
  EXPECT_EQ(as<RunTraining>(next_slice(queues(2, 76.1), plan(), kNow)), nullptr);
}

TEST(NextSlice, TrainsTauMinibatchesAWindowAndThenIdles) {
  EXPECT_NE(as<RunTraining>(next_slice(queues(0, 0, true, 5), plan(), kNow)), nullptr);
  const auto slice = next_slice(queues(0, 0, true, 6), plan(), kNow);
  ASSERT_NE(as<Wait>(slice), nullptr);
  EXPECT_EQ(as<Wait>(slice)->until, kNow + from_ms(30)) << "the window's end";
}

TEST(NextSlice, TrainsWithoutLimitWhenThereIsNoWindow) {
  auto alone = plan();
  alone.inference.clear();
  alone.training_per_window.reset();
  Queues q;
  q.training.push_back({2, true, 0});
  q.trained_in_window = 1000;
  EXPECT_NE(as<RunTraining>(next_slice(q, alone, kNow)), nullptr);
}

TEST(NextSlice, DoesNotWaitForDataOnTheDevice) {
  const auto slice = next_slice(queues(0, 0, false), plan(), kNow);
  ASSERT_NE(as<Wait>(slice), nullptr);
  EXPECT_EQ(as<Wait>(slice)->until, std::nullopt) << "only a change matters";
}

TEST(NextSlice, WaitsUntilThePartialBatchIsDue) {
  const auto slice = next_slice(queues(1, 50, false), plan(), kNow);
  ASSERT_NE(as<Wait>(slice), nullptr);
  EXPECT_EQ(as<Wait>(slice)->until, ms_ago(50) + from_ms(85));
}

TEST(NextSlice, AlternatesAmongTrainingJobs) {
  auto two = plan();
  two.training.push_back({3, "other", {16, 8, 9}, ""});
  auto q = queues(0, 0);
  q.training = {{2, true, 10}, {3, true, 9}};
  EXPECT_EQ(as<RunTraining>(next_slice(q, two, kNow))->job, 3);
  q.training = {{2, true, 10}, {3, false, 9}};
  EXPECT_EQ(as<RunTraining>(next_slice(q, two, kNow))->job, 2) << "the other's data is not there yet";
}

TEST(NextSlice, TakesTheEarliestDeadlineFirst) {
  auto two = plan();
  two.inference.push_back({4, "radar", 1, 10, 100, 20, 12, {{1, 2, 2}}, ""});
  auto q = queues(4, 10);               // deadline in 90 ms
  q.inference.push_back({4, 1, kNow});  // deadline in 20 ms
  EXPECT_EQ(as<RunInference>(next_slice(q, two, kNow))->job, 4);
}

TEST(NextSlice, LeavesRoomForTheOtherJobsBatches) {
  // The radar alone leaves 20 - 5 - 2 = 13 ms for training; a camera batch of 10 ms may come first.
  auto two = plan();
  two.inference.push_back({4, "radar", 1, 10, 100, 20, 12, {{1, 2, 2}}, ""});
  auto q = queues(0, 0);
  q.inference.push_back({4, 0, {}});
  EXPECT_EQ(as<RunTraining>(next_slice(q, two, kNow)), nullptr);
}

TEST(NextSlice, LeavesJobsAloneThatAreNotPlanned) {
  auto q = queues(0, 0, false);
  q.inference.push_back({7, 64, ms_ago(1000)});
  q.training.push_back({8, true, 0});
  EXPECT_NE(as<Wait>(next_slice(q, plan(), kNow)), nullptr);
}

TEST(NextSlice, MeasuresANewJobInTheGaps) {
  auto q = queues(0, 0, true, 6);
  q.trials.push_back({9, from_ms(9)});
  ASSERT_NE(as<RunTrial>(next_slice(q, plan(), kNow)), nullptr) << "not counted against tau";
  q.inference.front() = {1, 2, ms_ago(76.1)};
  EXPECT_EQ(as<RunTrial>(next_slice(q, plan(), kNow)), nullptr) << "it would end too late";
}

TEST(TrainingWindow, BeginsAnewWithAnInferenceBatch) {
  TrainingWindow window;
  window.inference_started(kNow);
  window.training_started();
  window.training_started();
  window.roll(kNow + from_ms(10), from_ms(60), false);
  EXPECT_EQ(window.trained(), 2);
  EXPECT_EQ(window.end(), kNow + from_ms(60));
  window.inference_started(kNow + from_ms(20));
  EXPECT_EQ(window.trained(), 0);
}

TEST(TrainingWindow, BeginsAnewWhenItsTimeHasPassedInSilence) {
  TrainingWindow window;
  window.inference_started(kNow);
  window.training_started();
  window.roll(kNow + from_ms(60), from_ms(60), true);
  EXPECT_EQ(window.trained(), 1) << "a batch is about to start";
  window.roll(kNow + from_ms(60), from_ms(60), false);
  EXPECT_EQ(window.trained(), 0);
  EXPECT_EQ(window.end(), kNow + from_ms(120));
}

}  // namespace
}  // namespace fulcrum::scheduler

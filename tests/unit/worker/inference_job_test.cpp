#include "worker/inference_job.h"

#include <gtest/gtest.h>

#include "tests/unit/worker/job_specs.h"

namespace fulcrum::worker {
namespace {

class NoWorkload final : public InferenceWorkload {
 public:
  Expected<void> trial_step(int) override { return {}; }
  Expected<std::optional<std::uint64_t>> run(const std::vector<std::uint64_t>& requests) override {
    return requests.size();
  }
};

const TimePoint kBegin{std::chrono::seconds(50)};

InferenceJob make_job(std::optional<double> duration_s, Json resume = nullptr, double budget_ms = 1000) {
  StartJob start;
  start.job = 1;
  start.spec = test::inference_spec(10, duration_s, budget_ms);
  start.resume = std::move(resume);
  return std::move(InferenceJob::make(start, std::make_unique<NoWorkload>()).value());
}

void serve(InferenceJob& job, int n, TimePoint done) {
  const auto batch = job.take_batch(n);
  job.account_batch(batch, static_cast<std::uint64_t>(n), 1, 1, done);
}

TEST(InferenceJob, TakesRequestsWhenTheirTimeHasCome) {
  auto job = make_job(std::nullopt);
  job.take_arrivals(kBegin + std::chrono::hours(1));
  EXPECT_EQ(job.queued(), 0U) << "the schedule has not begun";
  job.open(kBegin);
  EXPECT_EQ(job.next_arrival(), kBegin + from_ms(100));
  job.take_arrivals(kBegin + from_ms(250));
  EXPECT_EQ(job.queued(), 2U);
  EXPECT_EQ(job.oldest_arrival(), kBegin + from_ms(100));
}

TEST(InferenceJob, CountsLatencyFromTheScheduledArrival) {
  auto job = make_job(std::nullopt, nullptr, 100);
  job.open(kBegin);
  job.take_arrivals(kBegin + from_ms(200));
  serve(job, 2, kBegin + from_ms(250));  // 150 and 50 ms
  const auto progress = job.progress().progress;
  EXPECT_EQ(progress.at("served"), 2);
  EXPECT_DOUBLE_EQ(progress.at("inside_budget"), 0.5);
  EXPECT_DOUBLE_EQ(progress.at("latency_max_ms"), 150);
}

TEST(InferenceJob, WhoseAnswersAreNoClassesHasNoAccuracy) {
  auto job = make_job(std::nullopt);
  job.open(kBegin);
  job.take_arrivals(kBegin + from_ms(200));
  EXPECT_TRUE(job.progress().progress.contains("accuracy"));
  job.account_batch(job.take_batch(2), std::nullopt, 1, 1, kBegin + from_ms(250));
  EXPECT_FALSE(job.progress().progress.contains("accuracy"));
  EXPECT_FALSE(make_job(std::nullopt, job.progress().resume).progress().progress.contains("accuracy"));
}

TEST(InferenceJob, EndsWhenEveryRequestOfItsTimeIsAnswered) {
  auto job = make_job(0.25);
  EXPECT_FALSE(job.finished());
  job.open(kBegin);
  job.take_arrivals(kBegin + std::chrono::hours(1));
  EXPECT_EQ(job.queued(), 2U);
  EXPECT_EQ(job.next_arrival(), std::nullopt);
  EXPECT_FALSE(job.finished());
  serve(job, 2, kBegin + from_ms(300));
  EXPECT_TRUE(job.finished());
}

TEST(InferenceJob, GoesOnWhereItsLastRunLeftOff) {
  auto first = make_job(std::nullopt);
  first.open(kBegin);
  first.take_arrivals(kBegin + from_ms(450));  // four requests, three of them answered
  serve(first, 3, kBegin + from_ms(450));
  auto second = make_job(std::nullopt, first.progress().resume);
  EXPECT_EQ(second.progress().progress.at("served"), 3);
  const auto restart = kBegin + std::chrono::hours(1);
  second.open(restart);
  EXPECT_EQ(second.next_arrival(), restart + from_ms(100)) << "the fourth, one interval after the third";
  second.take_arrivals(restart + from_ms(100));
  EXPECT_EQ(second.take_batch(1).requests.front(), 3U);
}

TEST(InferenceJob, RefusesToResumeFromNonsense) {
  StartJob start;
  start.spec = test::inference_spec(10, std::nullopt);
  start.resume = {{"latency", 3}};
  EXPECT_EQ(InferenceJob::make(start, std::make_unique<NoWorkload>()).error().code, ErrorCode::corrupt);
}

TEST(InferenceJob, MeasuresOnlySizesThatCanMeetTheBudget) {
  // At 10/s a batch of 4 takes 400 ms to collect.
  EXPECT_EQ(make_job(std::nullopt, nullptr, 1000).trial().batch_size(), 1);
  auto tight = make_job(std::nullopt, nullptr, 300);
  for (int i = 0; i < 105; ++i)
    tight.trial().record(1, kBegin);
  EXPECT_TRUE(tight.trial().finished());
  auto loose = make_job(std::nullopt, nullptr, 1000);
  for (int i = 0; i < 105; ++i)
    loose.trial().record(1, kBegin);
  EXPECT_FALSE(loose.trial().finished());
}

}  // namespace
}  // namespace fulcrum::worker

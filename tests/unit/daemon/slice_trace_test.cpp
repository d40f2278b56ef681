#include "daemon/slice_trace.h"

#include <gtest/gtest.h>

#include "tests/unit/daemon/planned_jobs.h"

namespace fulcrum::daemon {
namespace {

class SliceTraceTest : public testing::Test {
 protected:
  // Slice number i lasts from second i to half a second later.
  void run(int first, int last, const JobSpec* job) {
    for (int i = first; i <= last; ++i) {
      worker::DeviceSlice slice{7, 16};
      slice.started_ns = to_ns(at(i));
      slice.ended_ns = to_ns(at(i) + std::chrono::milliseconds(500));
      slice.reason = scheduler::SliceReason::latest_start;
      slice.queued = i;
      slice.device_ms = 1.5;
      trace_.add(slice, job);
    }
  }
  static TimePoint at(int second) { return TimePoint(std::chrono::seconds(second)); }
  static std::vector<int> numbers(const Json& part) {
    std::vector<int> queued;
    for (const auto& slice : part.at("slices"))
      queued.push_back(slice.at("queued"));
    return queued;
  }
  using Numbers = std::vector<int>;

  SliceTrace trace_;
  const JobSpec camera_ = test::inference_to_plan(60, 100, {1, 4});
};

TEST_F(SliceTraceTest, TellsWhatTheDeviceDid) {
  run(3, 3, &camera_);
  const auto slice = trace_.get({}).at("slices").at(0);
  EXPECT_EQ(slice.at("job"), 7);
  EXPECT_EQ(slice.at("name"), camera_.name);
  EXPECT_EQ(slice.at("kind"), "inference");
  EXPECT_EQ(slice.at("batch_size"), 16);
  EXPECT_EQ(slice.at("queued"), 3);
  EXPECT_EQ(slice.at("why"), "latest_start");
  EXPECT_EQ(slice.at("started_ns"), 3'000'000'000);
  EXPECT_EQ(slice.at("ended_ns"), 3'500'000'000);
  EXPECT_EQ(slice.at("device_ms"), 1.5);
}

TEST_F(SliceTraceTest, OfTheTimeThatIsAskedFor) {
  run(0, 9, &camera_);
  SliceTrace::Range range;
  range.since = at(7);
  EXPECT_EQ(numbers(trace_.get(range)), (Numbers{7, 8, 9}));
  EXPECT_TRUE(trace_.get(range).at("next").is_null());
}

TEST_F(SliceTraceTest, ComesInPartsWhileMoreAreRun) {
  run(0, 4, &camera_);
  SliceTrace::Range range;
  range.limit = 2;
  const auto first = trace_.get(range);
  EXPECT_EQ(numbers(first), (Numbers{0, 1}));
  run(5, 5, &camera_);
  range.from = first.at("next").get<std::uint64_t>();
  range.to = first.at("end").get<std::uint64_t>();
  const auto second = trace_.get(range);
  EXPECT_EQ(numbers(second), (Numbers{2, 3}));
  range.from = second.at("next").get<std::uint64_t>();
  const auto last = trace_.get(range);
  EXPECT_EQ(numbers(last), Numbers{4}) << "not the one that came meanwhile";
  EXPECT_TRUE(last.at("next").is_null());
}

TEST_F(SliceTraceTest, TheOldestGiveWay) {
  run(0, static_cast<int>(SliceTrace::kKept) + 2, &camera_);
  SliceTrace::Range range;
  range.from = 0;
  range.limit = 1;
  EXPECT_EQ(numbers(trace_.get(range)), Numbers{3});
  EXPECT_EQ(trace_.get(range).at("end"), SliceTrace::kKept + 3);
}

TEST_F(SliceTraceTest, AJobThatIsGoneKeepsItsName) {
  run(0, 0, nullptr);
  run(1, 1, &camera_);
  run(2, 2, nullptr);
  const auto slices = trace_.get({}).at("slices");
  EXPECT_EQ(slices.at(0).at("name"), "") << "it was never known";
  EXPECT_EQ(slices.at(2).at("name"), camera_.name);
}

}  // namespace
}  // namespace fulcrum::daemon

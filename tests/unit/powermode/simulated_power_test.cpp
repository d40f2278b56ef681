// What the power sensors of the simulated board make of its load and its knobs.

#include <gtest/gtest.h>

#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using test::kMaxn;
using test::SimulatedBoard;
namespace node = test::node;

constexpr double kRounding = 0.03;  // W: 1 mA on two rails of 20 V and two of 5 V, rounded
constexpr int kAgeMs = 100;         // of a reading
constexpr PowerMode kLow{4, 960000, 318750000, 2133000000};

class SimulatedPower : public testing::Test {
 protected:
  SimulatedPower()
      : board_(simulated_.discover()),
        lease_(*BoardLease::acquire(*board_, simulated_.state_dir(), make_null_logger())) {}

  std::int64_t now_ns(int later_ms = 0) const {
    return to_ns(simulated_.clock.now()) + later_ms * 1'000'000LL;
  }
  void advance_ms(int ms) { simulated_.clock.advance(std::chrono::milliseconds(ms)); }
  void work(int later_ms = 0) {
    ASSERT_TRUE(
        simulated_.tree->report_load({{now_ns(later_ms), true, "heavy-cnn", WorkloadTask::training, 16}}));
  }
  void rest(int later_ms = 0) {
    ASSERT_TRUE(simulated_.tree->report_load({{now_ns(later_ms), false, "", {}, 0}}));
  }
  // What the sensors show of the time until now, when they have come to it.
  double measured() {
    advance_ms(kAgeMs);
    const auto sample = board_->read_power();
    EXPECT_TRUE(sample) << sample.error().to_string();
    return sample->total_w;
  }
  double busy(const PowerMode& mode) const {
    return *workloads_.busy_power_w("heavy-cnn", WorkloadTask::training, 16, mode);
  }

  SimulatedBoard simulated_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<BoardLease> lease_;
  SimulatedWorkloads workloads_ = *SimulatedWorkloads::builtin("agx-orin");
};

TEST_F(SimulatedPower, IdleBoardDrawsIdlePower) {
  ASSERT_TRUE(lease_->apply(kLow));
  advance_ms(200);
  EXPECT_NEAR(measured(), workloads_.idle_power_w(kLow), kRounding);
}

TEST_F(SimulatedPower, BusyBoardDrawsThePowerOfItsWorkAndMode) {
  work();
  for (const auto& mode : {kMaxn, kLow}) {
    ASSERT_TRUE(lease_->apply(mode));
    advance_ms(200);
    EXPECT_NEAR(measured(), busy(mode), kRounding);
  }
}

TEST_F(SimulatedPower, UnpinnedBoardRunsAtItsCapsWhileBusy) {
  work();
  advance_ms(200);
  EXPECT_NEAR(measured(), busy(kMaxn), kRounding);
}

TEST_F(SimulatedPower, ReadingIsTheMeanOverTheWindow) {
  ASSERT_TRUE(lease_->apply(kMaxn));
  advance_ms(1000);
  work();
  advance_ms(50);
  const double idle = workloads_.idle_power_w(kMaxn);
  EXPECT_NEAR(measured(), 0.25 * busy(kMaxn) + 0.75 * idle, kRounding);
  advance_ms(150);
  EXPECT_NEAR(measured(), busy(kMaxn), kRounding);
  rest();
  advance_ms(150);
  EXPECT_NEAR(measured(), 0.25 * busy(kMaxn) + 0.75 * idle, kRounding);
}

TEST_F(SimulatedPower, AChangeOfModeCountsFromWhenItHappens) {
  work();
  ASSERT_TRUE(lease_->apply(kMaxn));
  advance_ms(1000);
  ASSERT_TRUE(lease_->apply(kLow));
  advance_ms(80);
  EXPECT_NEAR(measured(), 0.4 * busy(kLow) + 0.6 * busy(kMaxn), kRounding);
}

TEST_F(SimulatedPower, EdgesMayBeToldLate) {
  ASSERT_TRUE(lease_->apply(kMaxn));
  advance_ms(1000);
  work(-100);
  EXPECT_NEAR(measured(), 0.5 * busy(kMaxn) + 0.5 * workloads_.idle_power_w(kMaxn), kRounding);
}

TEST_F(SimulatedPower, EdgesOutOfOrderOrOutOfTimeAreMovedNotRefused) {
  work();
  rest(-500);     // before the edge that is known: taken as at the same time
  work(+10'000);  // in the future: taken as now
  work(-10'000);  // too late
  const auto state = simulated_.tree->state();
  ASSERT_TRUE(state);
  for (const auto& edge : state->load)
    EXPECT_EQ(edge.at_ns, now_ns());
  EXPECT_TRUE(state->load.back().busy);
}

TEST_F(SimulatedPower, SeveralEdgesMayBeToldAtOnce) {
  ASSERT_TRUE(lease_->apply(kMaxn));
  advance_ms(1000);
  ASSERT_TRUE(simulated_.tree->write(
      kSimulatedLoadNode, format_load_edges({{now_ns(-100), true, "heavy-cnn", WorkloadTask::training, 16},
                                             {now_ns(-60), false, "", {}, 0}})));
  EXPECT_NEAR(measured(), 0.2 * busy(kMaxn) + 0.8 * workloads_.idle_power_w(kMaxn), kRounding);
}

TEST_F(SimulatedPower, RubbishAndUnknownWorkAreRefusedWhole) {
  const std::string good = format_load_edges({{now_ns(), true, "heavy-cnn", WorkloadTask::training, 16}});
  for (const char* bad : {"1 busy transformer training 4\n", "nonsense\n"}) {
    EXPECT_EQ(simulated_.tree->write(kSimulatedLoadNode, good + bad).error().code,
              ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(simulated_.tree->state()->load.empty());
}

TEST_F(SimulatedPower, KeepsOnlyWhatTheSensorsStillSee) {
  for (int i = 0; i < 1000; ++i) {
    work();
    advance_ms(10);
    rest();
    advance_ms(10);
  }
  const auto state = simulated_.tree->state();
  ASSERT_TRUE(state);
  EXPECT_LE(state->load.size(), 35U);
  EXPECT_EQ(state->clocks.size(), 1U);
}

TEST_F(SimulatedPower, ForgetsTheTimesOfAnEarlierBootOfTheHost) {
  work();
  simulated_.clock.set(from_ns(1'000'000'000));  // CLOCK_MONOTONIC began anew
  rest();
  advance_ms(200);
  EXPECT_NEAR(measured(), workloads_.idle_power_w({12, 115200, 114750000, 204000000}), kRounding);
}

TEST_F(SimulatedPower, AForeignChangeOfAKnobShowsInThePower) {
  work();
  ASSERT_TRUE(lease_->apply(kMaxn));
  ASSERT_TRUE(simulated_.set(node::gpu_min, "318750000"));
  ASSERT_TRUE(simulated_.set(node::gpu_max, "318750000"));
  advance_ms(200);
  PowerMode mode = kMaxn;
  mode.gpu_hz = 318750000;
  EXPECT_NEAR(measured(), busy(mode), kRounding);
}

TEST_F(SimulatedPower, SplitsOverTheFourRails) {
  work();
  advance_ms(200);
  const auto sample = board_->read_power();
  ASSERT_TRUE(sample);
  ASSERT_EQ(sample->rails.size(), 4U);
  double sum = 0;
  for (const auto& rail : sample->rails) {
    EXPECT_GT(rail.power_w, 0) << rail.name;
    sum += rail.power_w;
  }
  EXPECT_DOUBLE_EQ(sum, sample->total_w);
  EXPECT_EQ(sample->taken_at, simulated_.clock.now());
}

}  // namespace
}  // namespace fulcrum

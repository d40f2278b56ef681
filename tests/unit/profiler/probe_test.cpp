#include "profiler/probe.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/profiler/some_measurement.h"

namespace fulcrum::profiler {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Phase = Probe::Phase;

constexpr TimePoint kStart{5000s};
constexpr std::int64_t kStartWallMs = 1'700'000'000'000;

ProbeSettings settings() {
  ProbeSettings s;
  s.averaging_window = 200ms;
  s.mode_settling = 100ms;
  s.warm_up_steps = 3;
  s.minibatches = 10;
  s.shortest_measuring = 500ms;
  s.fewest_power_readings = 2;
  s.longest_power_gap = 250ms;
  s.time_limit = 10s;
  return s;
}

// Drives a probe as the daemon would, on a board that behaves as the members say. Power is read every 50 ms.
class ProbeTest : public testing::Test {
 protected:
  Probe start(const ProbeSettings& with = settings()) const {
    return Probe(test::some_measurement().key, with, kStart, kStartWallMs);
  }

  // One action, and what the sensors show meanwhile.
  void act(Probe& probe) {
    const auto action = probe.next(now_);
    if (const auto* wait = std::get_if<WaitUntil>(&action)) {
      pass(probe, wait->until);
    } else if (std::holds_alternative<RunStep>(action)) {
      pass(probe, now_ + step_);
      probe.step_finished(to_ms(step_), now_);
    } else if (std::holds_alternative<ReadBoard>(action)) {
      now_ += 1ms;
      probe.throttle_count(throttled_);
      probe.mode_read(mode_, now_);
    }
  }

  void pass(Probe& probe, TimePoint until) {
    for (; next_sample_ <= until; next_sample_ += 50ms)
      probe.power_sample(power_w_, next_sample_);
    now_ = until;
  }

  void run_to(Probe& probe, Phase phase) {
    for (int i = 0; i < 10000 && probe.phase() != phase && !probe.result(); ++i)
      act(probe);
    ASSERT_EQ(probe.phase(), phase);
  }

  void run_to_end(Probe& probe) {
    for (int i = 0; i < 10000 && !probe.result(); ++i)
      act(probe);
  }

  static const Measurement* measurement(const Probe& probe) {
    return probe.result() ? std::get_if<Measurement>(&*probe.result()) : nullptr;
  }
  static ProbeFault fault(const Probe& probe) { return std::get<InvalidProbe>(probe.result().value()).fault; }
  static std::string message(const Probe& probe) {
    return std::get<InvalidProbe>(probe.result().value()).message;
  }

  TimePoint now_ = kStart;
  TimePoint next_sample_ = kStart;
  Duration step_ = 20ms;
  double power_w_ = 25;
  PowerMode mode_ = test::some_measurement().key.mode;
  std::int64_t throttled_ = 7;
};

TEST_F(ProbeTest, WaitsForTheModeToSettleAndThenReadsTheBoard) {
  auto probe = start();
  const auto first = probe.next(kStart);
  ASSERT_TRUE(std::holds_alternative<WaitUntil>(first));
  EXPECT_EQ(std::get<WaitUntil>(first).until, kStart + 100ms);
  EXPECT_TRUE(std::holds_alternative<ReadBoard>(probe.next(kStart + 100ms)));
}

TEST_F(ProbeTest, RunsStepsOnceTheModeIsConfirmed) {
  auto probe = start();
  probe.mode_read(mode_, kStart + 100ms);
  EXPECT_EQ(probe.phase(), Phase::settling);
  EXPECT_TRUE(std::holds_alternative<RunStep>(probe.next(kStart + 100ms)));
}

TEST_F(ProbeTest, SettlesUntilTheAveragingWindowHasPassedUnderLoad) {
  auto probe = start();
  probe.mode_read(mode_, kStart + 100ms);
  probe.step_finished(50, kStart + 550ms);  // began at 500 ms
  probe.step_finished(149, kStart + 699ms);
  EXPECT_EQ(probe.phase(), Phase::settling);
  probe.step_finished(1, kStart + 700ms);
  EXPECT_EQ(probe.phase(), Phase::warm_up);
}

TEST_F(ProbeTest, LoadFromBeforeTheModeWasConfirmedIsNoSettling) {
  auto probe = start();
  probe.mode_read(mode_, kStart + 100ms);
  probe.step_finished(5000, kStart + 299ms);
  EXPECT_EQ(probe.phase(), Phase::settling);
}

TEST_F(ProbeTest, DropsTheWarmUpSteps) {
  auto probe = start();
  run_to(probe, Phase::warm_up);
  for (int i = 0; i < 3; ++i)
    probe.step_finished(900, now_ += 900ms);
  EXPECT_EQ(probe.phase(), Phase::measuring);
  EXPECT_EQ(probe.steps_measured(), 0);
  next_sample_ = now_;
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_EQ(measurement(probe)->time.p99_ms, 20);
}

TEST_F(ProbeTest, WarmUpMayBeLeftOut) {
  auto without = settings();
  without.warm_up_steps = 0;
  auto probe = start(without);
  run_to_end(probe);
  EXPECT_NE(measurement(probe), nullptr);
}

TEST_F(ProbeTest, FastStepsAreMeasuredUntilTheTimeHasPassed) {
  auto probe = start();
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_EQ(measurement(probe)->minibatches, 25);  // of 20 ms in 500 ms
}

TEST_F(ProbeTest, SlowStepsAreMeasuredUntilThereAreEnough) {
  step_ = 150ms;
  auto probe = start();
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_EQ(measurement(probe)->minibatches, 10);
}

TEST_F(ProbeTest, MeasuresForTwoAveragingWindowsAtLeast) {
  auto slow_sensor = settings();
  slow_sensor.averaging_window = 400ms;
  auto probe = start(slow_sensor);
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_EQ(measurement(probe)->minibatches, 40);  // of 20 ms in 800 ms
}

TEST_F(ProbeTest, FindsWhatTheBoardDid) {
  auto probe = start();
  probe.temperature(48);
  run_to(probe, Phase::measuring);
  probe.temperature(49.5);
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  const auto& found = *measurement(probe);
  EXPECT_EQ(found.key, test::some_measurement().key);
  EXPECT_DOUBLE_EQ(found.time.mean_ms, 20);
  EXPECT_NEAR(found.time.stddev_ms, 0, 1e-9);
  EXPECT_DOUBLE_EQ(found.power_w, 25);
  EXPECT_EQ(found.temperature_c, 49.5);
  // 100 ms, 1 to read the mode, 10 steps to settle, 3 to warm up, 25 to measure, and 1 to read the mode.
  EXPECT_EQ(found.measured_at_ms, kStartWallMs + 861);
  EXPECT_DOUBLE_EQ(found.cost_s, 0.862);
  EXPECT_TRUE(Measurement::from_json(found.to_json()));
}

TEST_F(ProbeTest, PowerFromBeforeTheStepsWereMeasuredDoesNotCount) {
  auto probe = start();
  power_w_ = 9999;
  run_to(probe, Phase::measuring);
  power_w_ = 25;
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_DOUBLE_EQ(measurement(probe)->power_w, 25);
}

TEST_F(ProbeTest, PowerFromAfterTheLastStepDoesNotCount) {
  auto probe = start();
  run_to(probe, Phase::confirming);
  probe.power_sample(9999, now_ + 1ns);
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_DOUBLE_EQ(measurement(probe)->power_w, 25);
}

TEST_F(ProbeTest, AReadingThatIsToldBeforeTheStepItBelongsToCounts) {
  auto probe = start();
  run_to(probe, Phase::measuring);
  const TimePoint from = now_;
  for (int i = 1; i <= 10; ++i)
    probe.power_sample(30, from + i * 50ms);
  for (int i = 1; i <= 10; ++i)
    probe.step_finished(50, from + i * 50ms);
  probe.mode_read(mode_, from + 501ms);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_DOUBLE_EQ(measurement(probe)->power_w, 30);
}

TEST_F(ProbeTest, AModeThatDidNotHoldIsToldAtOnce) {
  mode_.gpu_hz = 306000000;
  auto probe = start();
  run_to_end(probe);
  EXPECT_EQ(fault(probe), ProbeFault::mode_changed);
  EXPECT_THAT(message(probe), testing::AllOf(HasSubstr("624.75 MHz"), HasSubstr("306 MHz")));
  EXPECT_EQ(probe.steps_measured(), 0);
}

TEST_F(ProbeTest, AForeignChangeOfTheModeInvalidatesInEveryPhase) {
  for (const auto phase : {Phase::settling, Phase::warm_up, Phase::measuring, Phase::confirming}) {
    now_ = next_sample_ = kStart;
    mode_ = test::some_measurement().key.mode;
    auto probe = start();
    run_to(probe, phase);
    mode_.cpu_cores = 4;
    probe.mode_read(mode_, now_ + 1ms);
    EXPECT_EQ(fault(probe), ProbeFault::mode_changed) << to_string(phase);
  }
}

TEST_F(ProbeTest, AModeReadBeforeItCouldSettleIsNoNews) {
  auto probe = start();
  PowerMode before = mode_;
  before.emc_hz = 204000000;
  probe.mode_read(before, kStart + 50ms);
  EXPECT_EQ(probe.phase(), Phase::set_up);
  probe.mode_read(mode_, kStart + 50ms);
  EXPECT_EQ(probe.phase(), Phase::set_up);
}

TEST_F(ProbeTest, TheModeIsConfirmedByAReadingFromAfterTheLastStep) {
  auto probe = start();
  run_to(probe, Phase::confirming);
  probe.mode_read(mode_, now_ - 1ms);
  EXPECT_EQ(probe.phase(), Phase::confirming);
  probe.mode_read(mode_, now_);
  EXPECT_EQ(probe.phase(), Phase::done);
}

TEST_F(ProbeTest, AThrottleEventInvalidates) {
  auto probe = start();
  run_to(probe, Phase::measuring);
  probe.throttle_count(throttled_);
  EXPECT_FALSE(probe.result());
  probe.throttle_count(throttled_ + 1);
  EXPECT_EQ(fault(probe), ProbeFault::throttled);
}

TEST_F(ProbeTest, AThrottleEventSeenAtTheEndInvalidates) {
  auto probe = start();
  run_to(probe, Phase::confirming);
  ++throttled_;
  run_to_end(probe);
  EXPECT_EQ(fault(probe), ProbeFault::throttled);
}

TEST_F(ProbeTest, AMissingPowerSampleInvalidates) {
  auto probe = start();
  run_to(probe, Phase::measuring);
  probe.power_missing("reading hwmon3: EIO", now_ + 10ms);
  run_to_end(probe);
  EXPECT_EQ(fault(probe), ProbeFault::power_missing);
  EXPECT_THAT(message(probe), HasSubstr("EIO"));
}

TEST_F(ProbeTest, ASampleMissingBeforeTheMeasuringDoesNot) {
  auto probe = start();
  run_to(probe, Phase::settling);
  probe.power_missing("reading hwmon3: EIO", now_);
  run_to_end(probe);
  EXPECT_NE(measurement(probe), nullptr);
}

TEST_F(ProbeTest, ASilentSensorInvalidates) {
  auto probe = start();
  next_sample_ = TimePoint::max() - 1h;
  run_to_end(probe);
  EXPECT_EQ(fault(probe), ProbeFault::power_missing);
}

TEST_F(ProbeTest, TooFewPowerReadingsInvalidate) {
  auto picky = settings();
  picky.fewest_power_readings = 20;
  auto probe = start(picky);
  run_to_end(probe);
  EXPECT_EQ(fault(probe), ProbeFault::too_few_power_readings);
}

TEST_F(ProbeTest, AFailedStepInvalidates) {
  auto probe = start();
  run_to(probe, Phase::measuring);
  probe.fail(ProbeFault::step_failed, "CUDA error: out of memory");
  EXPECT_EQ(fault(probe), ProbeFault::step_failed);
  EXPECT_EQ(message(probe), "CUDA error: out of memory");
}

TEST_F(ProbeTest, AStepThatCannotHaveBeenInvalidates) {
  for (const double ms : {0.0, -1.0, std::nan(""), 1e300}) {
    now_ = next_sample_ = kStart;
    auto probe = start();
    run_to(probe, Phase::measuring);
    probe.step_finished(ms, now_ + 20ms);
    EXPECT_EQ(fault(probe), ProbeFault::step_failed) << ms;
  }
}

TEST_F(ProbeTest, AStepThatRunsBackwardsInvalidates) {
  auto probe = start();
  run_to(probe, Phase::measuring);
  probe.step_finished(20, now_ - 1ms);
  EXPECT_EQ(fault(probe), ProbeFault::step_failed);
}

TEST_F(ProbeTest, AStepThatNobodyAskedForDoesNotCount) {
  auto probe = start();
  probe.step_finished(20, kStart + 50ms);
  EXPECT_EQ(probe.phase(), Phase::set_up);
  run_to(probe, Phase::confirming);
  const int measured = probe.steps_measured();
  probe.step_finished(20, now_ + 20ms);
  EXPECT_EQ(probe.steps_measured(), measured);
}

TEST_F(ProbeTest, EndsAtItsTimeLimitAndSaysHowFarItCame) {
  step_ = 1s;
  auto probe = start();
  run_to_end(probe);
  EXPECT_EQ(fault(probe), ProbeFault::timed_out);
  EXPECT_THAT(message(probe), HasSubstr("of 10 minibatches"));
}

TEST_F(ProbeTest, EndsAtItsTimeLimitEvenIfOnlyTheSensorSpeaks) {
  auto probe = start();
  probe.power_sample(25, kStart + 10s - 1ns);
  EXPECT_FALSE(probe.result());
  probe.power_sample(25, kStart + 10s);
  EXPECT_EQ(fault(probe), ProbeFault::timed_out);
}

TEST_F(ProbeTest, StaysAsItEnded) {
  auto probe = start();
  run_to_end(probe);
  ASSERT_NE(measurement(probe), nullptr);
  const Json found = measurement(probe)->to_json();
  probe.throttle_count(99);
  probe.mode_read(PowerMode{}, now_);
  probe.power_missing("gone", now_);
  probe.fail(ProbeFault::cancelled, "too late");
  EXPECT_TRUE(std::holds_alternative<ProbeEnded>(probe.next(now_ + 1h)));
  EXPECT_EQ(probe.phase(), Phase::done);
  ASSERT_NE(measurement(probe), nullptr);
  EXPECT_EQ(measurement(probe)->to_json(), found);
}

TEST_F(ProbeTest, CostsWhatWasExpectedButForTheReadingOfTheMode) {
  for (const auto step : {3ms, 20ms, 70ms, 450ms}) {
    now_ = next_sample_ = kStart;
    step_ = step;
    auto probe = start();
    run_to_end(probe);
    ASSERT_NE(measurement(probe), nullptr);
    EXPECT_NEAR(measurement(probe)->cost_s, to_s(expected_cost(settings(), step) + 2ms), 1e-9);
  }
}

TEST(ExpectedCost, CountsWholeSteps) {
  // Settling: one step covers the window. Warm-up: 3. Measuring: 10 steps are longer than 500 ms.
  EXPECT_EQ(expected_cost(settings(), 300ms), 100ms + (1 + 3 + 10) * 300ms);
  // Settling: 67 steps of 3 ms. Warm-up: 3. Measuring: 167 steps.
  EXPECT_EQ(expected_cost(settings(), 3ms), 100ms + (67 + 3 + 167) * 3ms);
}

TEST(ExpectedCost, OfAStepThatTakesNoTimeIsFinite) {
  EXPECT_GT(expected_cost(settings(), 0ms), 800ms);
  EXPECT_LT(expected_cost(settings(), 0ms), 801ms);
}

}  // namespace
}  // namespace fulcrum::profiler

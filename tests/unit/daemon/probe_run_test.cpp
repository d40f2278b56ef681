// Probes of a simulated board, driven by a worker of the test's own.

#include "daemon/probe_run.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "powermode/simulated_sensors.h"
#include "powermode/simulated_workloads.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum::daemon {
namespace {

using namespace std::chrono_literals;
using profiler::ProbeFault;
using Kind = SimulatedFault::Kind;
namespace node = test::node;

constexpr PowerMode kMode{8, 1728000, 624750000, 3199000000};
constexpr double kRounding = 0.05;  // W, of the sensors
constexpr double kMixture = 0.5;    // W: the sensors look at the time in pieces
constexpr JobId kProbed = 1;        // trains
constexpr JobId kNeighbour = 2;     // answers requests
const std::string kAnyCurrent = "/sys/*/curr1_input";

class ProbeRunTest : public testing::Test {
 protected:
  ProbeRunTest()
      : board_(simulated_.discover()),
        lease_(*BoardLease::acquire(*board_, simulated_.state_dir(), make_null_logger())) {
    if (auto applied = lease_->apply(kMode); !applied) throw std::runtime_error(applied.error().to_string());
  }

  ProbeRun::Order order() const {
    ProbeRun::Order order;
    order.job = kProbed;
    order.key = {"agx-orin", "0123456789abcdef", WorkloadTask::training, kMode, 16};
    order.settings.averaging_window = board_->averaging_window();
    order.idle_w = workloads_.idle_power_w(kMode);
    order.foreign_power_w = [this](JobId, int) { return foreign_power_w_; };
    return order;
  }
  void start() { run_.emplace(order(), *board_, simulated_.clock); }

  // The daemon's tick, twenty times a second.
  void tick() {
    run_->power(board_->read_power());
    run_->advance();
  }
  void pass(Duration time) {
    const TimePoint until = simulated_.clock.now() + time;
    while (next_tick_ <= until) {
      simulated_.clock.set(next_tick_);
      tick();
      next_tick_ += 50ms;
    }
    simulated_.clock.set(until);
  }

  // A step as the board sees it; what the worker tells of it.
  worker::DeviceSlice step(JobId job, int batch_size, bool probe, Duration time) {
    const bool trains = job == kProbed;
    worker::DeviceSlice slice{job, batch_size, probe, to_ns(simulated_.clock.now()), 0};
    EXPECT_TRUE(simulated_.tree->report_load(
        {{slice.started_ns, true, trains ? "heavy-cnn" : "light-cnn",
          trains ? WorkloadTask::training : WorkloadTask::inference, batch_size}}));
    pass(time);
    slice.ended_ns = to_ns(simulated_.clock.now());
    EXPECT_TRUE(simulated_.tree->report_load({{slice.ended_ns, false, {}, {}, 0}}));
    return slice;
  }
  void tell(const std::vector<worker::DeviceSlice>& slices) {
    run_->slices(slices);
    run_->advance();
  }
  void probe_step(Duration time = 20ms) { tell({step(kProbed, 16, true, time)}); }
  void probe_for(Duration time) {
    for (const TimePoint until = simulated_.clock.now() + time; simulated_.clock.now() < until;)
      probe_step();
  }
  void probe_to_end() {
    for (int n = 0; n < 10000 && !run_->result(); ++n)
      probe_step();
  }
  // Steps of both in turn, and a rest.
  void share_to_end() {
    for (int n = 0; n < 10000 && !run_->result(); ++n) {
      const auto own = step(kProbed, 16, true, 25ms);
      const auto foreign = step(kNeighbour, 16, false, 15ms);
      pass(10ms);
      tell({own, foreign});
    }
  }

  const profiler::Measurement* measurement() const {
    return run_->result() ? std::get_if<profiler::Measurement>(&*run_->result()) : nullptr;
  }
  const profiler::InvalidProbe* invalid() const {
    return run_->result() ? std::get_if<profiler::InvalidProbe>(&*run_->result()) : nullptr;
  }
  void expect_invalid(ProbeFault fault, const std::string& message = {}) const {
    ASSERT_NE(invalid(), nullptr);
    EXPECT_EQ(invalid()->fault, fault) << invalid()->message;
    EXPECT_TRUE(test::contains(invalid()->message, message)) << invalid()->message;
  }

  double own_w() const {
    return workloads_.busy_power_w("heavy-cnn", WorkloadTask::training, 16, kMode).value();
  }
  double neighbours_w() const {
    return workloads_.busy_power_w("light-cnn", WorkloadTask::inference, 16, kMode).value();
  }

  test::SimulatedBoard simulated_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<BoardLease> lease_;
  const SimulatedWorkloads workloads_ = *SimulatedWorkloads::builtin("agx-orin");
  std::optional<double> foreign_power_w_;
  TimePoint next_tick_ = simulated_.clock.now();
  std::optional<ProbeRun> run_;
};

// ---- what a measurement is ----

TEST_F(ProbeRunTest, ACleanRunYieldsAMeasurement) {
  start();
  probe_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_EQ(measurement()->key, order().key);
  EXPECT_GE(measurement()->minibatches, order().settings.minibatches);
  EXPECT_EQ(measurement()->temperature_c, 46.5);
}

TEST_F(ProbeRunTest, ItsTimesAreThoseOfTheSlices) {
  start();
  for (int n = 0; n < 10000 && !run_->result(); ++n)
    probe_step(n % 4 == 0 ? 50ms : n % 4 == 1 ? 10ms : 20ms);
  ASSERT_NE(measurement(), nullptr);
  EXPECT_DOUBLE_EQ(measurement()->time.p50_ms, 20);
  EXPECT_DOUBLE_EQ(measurement()->time.p99_ms, 50);
}

TEST_F(ProbeRunTest, ItsPowerIsWhatTheStepsDraw) {
  start();
  probe_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_NEAR(measurement()->power_w, own_w(), kRounding);
}

TEST_F(ProbeRunTest, IdleTimeBetweenTheStepsIsTakenOutOfThePower) {
  start();
  for (int n = 0; n < 10000 && !run_->result(); ++n) {
    probe_step(25ms);
    pass(25ms);
  }
  ASSERT_NE(measurement(), nullptr);
  EXPECT_NEAR(measurement()->power_w, own_w(), kMixture);
}

TEST_F(ProbeRunTest, WhatANeighbourDrawsIsTakenOutOfThePower) {
  foreign_power_w_ = neighbours_w();
  start();
  share_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_NEAR(measurement()->power_w, own_w(), kMixture);
}

TEST_F(ProbeRunTest, ANeighbourOfWhichNothingIsKnownMakesThePowerTooHighAndNeverTooLow) {
  start();
  share_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_GT(measurement()->power_w, own_w());
}

TEST_F(ProbeRunTest, TheNeighboursPowerIsAskedForByJobAndBatch) {
  start();
  std::map<JobId, int> asked;
  auto with = order();
  with.foreign_power_w = [&asked](JobId job, int batch_size) {
    asked[job] = batch_size;
    return std::optional<double>();
  };
  run_.emplace(std::move(with), *board_, simulated_.clock);
  share_to_end();
  EXPECT_EQ(asked, (std::map<JobId, int>{{kNeighbour, 16}}));
}

TEST_F(ProbeRunTest, TheNeighboursTimesAreNotMeasured) {
  start();
  share_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_DOUBLE_EQ(measurement()->time.p50_ms, 25);
  EXPECT_DOUBLE_EQ(measurement()->time.p99_ms, 25);
}

TEST_F(ProbeRunTest, TheLastStepsOfAnotherJobsProbeAreNotMeasured) {
  start();
  probe_for(1s);
  tell({step(kNeighbour, 16, true, 90ms)});
  probe_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_DOUBLE_EQ(measurement()->time.p99_ms, 20);
}

TEST_F(ProbeRunTest, RequestsOfTheProbedJobAreNotMeasured) {
  start();
  for (int n = 0; n < 10000 && !run_->result(); ++n) {
    const auto own = step(kProbed, 16, true, 25ms);
    tell({own, step(kProbed, 16, false, 15ms)});
  }
  ASSERT_NE(measurement(), nullptr);
  EXPECT_DOUBLE_EQ(measurement()->time.mean_ms, 25);
}

TEST_F(ProbeRunTest, SlicesMayBeToldLateAndManyAtOnce) {
  start();
  std::vector<worker::DeviceSlice> untold;
  for (int n = 0; n < 10000 && !run_->result(); ++n) {
    untold.push_back(step(kProbed, 16, true, 10ms));
    if (n % 8 == 7) tell(std::exchange(untold, {}));
  }
  ASSERT_NE(measurement(), nullptr);
  EXPECT_DOUBLE_EQ(measurement()->time.mean_ms, 10);
  EXPECT_NEAR(measurement()->power_w, own_w(), kRounding);
}

TEST_F(ProbeRunTest, ThermometersThatFailAreDoneWithout) {
  simulated_.fault("/sys/class/thermal/*/temp", Kind::read_error, "EIO");
  start();
  probe_to_end();
  ASSERT_NE(measurement(), nullptr);
  EXPECT_EQ(measurement()->temperature_c, std::nullopt);
}

TEST_F(ProbeRunTest, OnceItHasEndedNothingChangesIt) {
  start();
  probe_to_end();
  ASSERT_NE(measurement(), nullptr);
  const auto found = measurement()->to_json();
  probe_for(1s);
  pass(20s);
  ASSERT_NE(measurement(), nullptr);
  EXPECT_EQ(measurement()->to_json(), found);
}

// ---- what makes it invalid ----

TEST_F(ProbeRunTest, AModeThatIsNotSetIsInvalid) {
  ASSERT_TRUE(simulated_.set(node::gpu_max, "420750000"));
  start();
  probe_for(200ms);
  expect_invalid(ProbeFault::mode_changed);
}

TEST_F(ProbeRunTest, AModeThatIsChangedUnderItIsInvalid) {
  start();
  probe_for(1s);
  ASSERT_TRUE(simulated_.set(node::gpu_max, "420750000"));
  probe_to_end();
  expect_invalid(ProbeFault::mode_changed);
}

TEST_F(ProbeRunTest, AThrottleEventMeanwhileIsInvalid) {
  start();
  probe_for(1s);
  ASSERT_TRUE(simulated_.set(std::string(kSimulatedOverCurrent) + "/oc2", "1"));
  probe_to_end();
  expect_invalid(ProbeFault::throttled);
}

TEST_F(ProbeRunTest, AThrottleEventFromBeforeDoesNotMatter) {
  ASSERT_TRUE(simulated_.set(std::string(kSimulatedOverCurrent) + "/oc2", "5"));
  start();
  probe_to_end();
  EXPECT_NE(measurement(), nullptr);
}

TEST_F(ProbeRunTest, PowerThatCannotBeReadWhileItIsMeasuredIsInvalid) {
  start();
  probe_for(1s);
  simulated_.fault(kAnyCurrent, Kind::read_error, "EIO", 1);
  probe_to_end();
  expect_invalid(ProbeFault::power_missing);
}

TEST_F(ProbeRunTest, PowerThatCannotBeReadBeforeItIsMeasuredDoesNotMatter) {
  start();
  probe_for(200ms);
  simulated_.fault(kAnyCurrent, Kind::read_error, "EIO", 1);
  probe_to_end();
  EXPECT_NE(measurement(), nullptr);
}

TEST_F(ProbeRunTest, ABoardThatCannotBeReadIsInvalid) {
  for (const auto& path : {node::gpu_max, std::string("/sys/*/oc1_event_cnt")}) {
    ASSERT_TRUE(simulated_.tree->clear_faults());
    start();
    simulated_.fault(path, Kind::read_error, "EIO");
    probe_for(200ms);
    expect_invalid(ProbeFault::board_unreadable);
  }
}

TEST_F(ProbeRunTest, WithTooLittleTimeOfItsOwnThePowerIsNotKnown) {
  foreign_power_w_ = neighbours_w();
  start();
  for (int n = 0; n < 10000 && !run_->result(); ++n) {
    const auto own = step(kProbed, 16, true, 10ms);
    tell({own, step(kNeighbour, 16, false, 40ms)});
  }
  expect_invalid(ProbeFault::power_missing);
}

TEST_F(ProbeRunTest, StepsThatFindNoPlaceForLongAreGivenUp) {
  start();
  pass(9999ms);
  ASSERT_FALSE(run_->result());
  pass(51ms);
  expect_invalid(ProbeFault::timed_out, "no step finds a place");
}

TEST_F(ProbeRunTest, TheNeighboursStepsDoNotCountAsAPlace) {
  start();
  for (int n = 0; n < 1000 && !run_->result(); ++n)
    tell({step(kNeighbour, 16, false, 20ms)});
  expect_invalid(ProbeFault::timed_out);
}

TEST_F(ProbeRunTest, StepsThatAreNoProbeDoNotCountAsAPlace) {
  start();
  for (int n = 0; n < 1000 && !run_->result(); ++n)
    tell({step(kProbed, 16, false, 20ms)});
  expect_invalid(ProbeFault::timed_out);
}

TEST_F(ProbeRunTest, AStepNowAndThenIsNoReasonToGiveUp) {
  start();
  for (int n = 0; n < 4; ++n) {
    probe_step();
    pass(9s);
  }
  EXPECT_FALSE(run_->result());
}

TEST_F(ProbeRunTest, EndsWithItsTimeLimit) {
  start();
  for (int n = 0; n < 7; ++n) {
    probe_step();
    pass(9s);
  }
  expect_invalid(ProbeFault::timed_out);
}

// Nobody must be able to keep the daemon busy.
TEST_F(ProbeRunTest, AStepFromTheFutureIsWaitedFor) {
  start();
  probe_for(1s);
  ASSERT_FALSE(run_->result());
  const TimePoint future = simulated_.clock.now() + 5s;
  std::vector<worker::DeviceSlice> slices;
  for (int n = 100; n > 0; --n)
    slices.push_back({kProbed, 16, true, to_ns(future - n * 2ms), to_ns(future - n * 2ms + 1ms)});
  tell(slices);
  EXPECT_FALSE(run_->result());
  pass(6s);
  EXPECT_TRUE(run_->result());
}

}  // namespace
}  // namespace fulcrum::daemon

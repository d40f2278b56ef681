// Whatever happens in whatever order: no measurement from too few steps, none from power outside the time in
// which they ran, and every probe ends.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "profiler/probe.h"
#include "tests/unit/profiler/some_measurement.h"

namespace fulcrum::profiler {
namespace {

using namespace std::chrono_literals;
using Phase = Probe::Phase;

constexpr TimePoint kBegin{5000s};
const PowerMode kTheMode = test::some_measurement().key.mode;
constexpr double kHonestW = 25;
constexpr double kOutsideW = 1e6;

ProbeSettings any_settings() {
  ProbeSettings s;
  s.averaging_window = *rc::gen::inRange(0, 60) * 1ms;
  s.mode_settling = *rc::gen::inRange(0, 20) * 1ms;
  s.warm_up_steps = *rc::gen::inRange(0, 4);
  s.minibatches = *rc::gen::inRange(1, 12);
  s.shortest_measuring = *rc::gen::inRange(0, 80) * 1ms;
  s.fewest_power_readings = *rc::gen::inRange(1, 4);
  s.longest_power_gap = *rc::gen::inRange(20, 200) * 1ms;
  s.time_limit = *rc::gen::inRange(50, 3000) * 1ms;
  return s;
}

// Watches a probe from outside, by what was handed in and the phases it went through.
class Observed {
 public:
  explicit Observed(const ProbeSettings& with)
      : settings(with), probe(test::some_measurement().key, with, kBegin, 1) {}

  void step(double ms, TimePoint at) {
    const auto before = probe.phase();
    probe.step_finished(ms, at);
    if (before == Phase::measuring && probe.phase() != Phase::invalid) ++steps;
    if (before != Phase::measuring && probe.phase() == Phase::measuring) from = at;
    if (before == Phase::measuring && probe.phase() == Phase::confirming) to = at;
  }

  void check_result() const {
    if (!probe.result()) return;
    const auto* found = std::get_if<Measurement>(&*probe.result());
    if (found == nullptr) {
      RC_ASSERT(probe.phase() == Phase::invalid);
      return;
    }
    RC_ASSERT(probe.phase() == Phase::done);
    RC_ASSERT(found->minibatches >= settings.minibatches);
    RC_ASSERT(found->minibatches == steps);
    RC_ASSERT(from.has_value());
    RC_ASSERT(to.has_value());
    RC_ASSERT(*to - *from >= settings.measuring_time());
    RC_ASSERT(Measurement::from_json(found->to_json()).has_value());
  }

  ProbeSettings settings;
  Probe probe;
  int steps = 0;
  std::optional<TimePoint> from, to;
};

// Any event, at any time that is not much earlier than the last. In calm runs none that ends a probe.
void any_event(Observed& observed, TimePoint& now, bool calm) {
  now += *rc::gen::inRange(calm ? 0 : -3, 25) * 1ms;
  auto& probe = observed.probe;
  const std::size_t trouble = calm ? 0 : 1;
  const auto kind = rc::gen::weightedElement<int>(
      {{20, 0}, {12, 1}, {10, 2}, {trouble, 3}, {trouble, 4}, {trouble, 5}, {trouble, 6}, {3, 7}});
  switch (*kind) {
    case 0:
      return observed.step(*rc::gen::inRange(1, 30), now);
    case 1:
      return probe.power_sample(kHonestW, now);
    case 2:
      return probe.mode_read(kTheMode, now);
    case 3:
      return probe.mode_read(PowerMode{1, 1, 1, 1}, now);
    case 4:
      return probe.power_missing("gone", now);
    case 5:
      return probe.throttle_count(*rc::gen::inRange(0, 2));
    case 6:
      return probe.fail(ProbeFault::step_failed, "failed");
    default:
      probe.next(now);
  }
}

RC_GTEST_PROP(ProbeProperty, NoOrderOfEventsMakesAMeasurementOfTooFewSteps, ()) {
  Observed observed(any_settings());
  TimePoint now = kBegin;
  const bool calm = *rc::gen::arbitrary<bool>();
  const int events = *rc::gen::inRange(0, 300);
  for (int i = 0; i < events; ++i) {
    any_event(observed, now, calm);
    observed.check_result();
  }
  const bool ended = observed.probe.result().has_value();
  observed.probe.next(kBegin + observed.settings.time_limit);
  RC_ASSERT(observed.probe.result().has_value());
  RC_CLASSIFY(observed.probe.phase() == Phase::done, "done");
  if (!ended) RC_ASSERT(observed.probe.phase() == Phase::invalid);
}

// A driver that does as it is told, with steps of any length; readings are told late or early by up to
// 50 ms, and every reading from outside the measuring is poison.
class Driver {
 public:
  explicit Driver(const ProbeSettings& settings) : observed(settings) {}

  void run() {
    for (int turns = 0; !observed.probe.result(); ++turns) {
      RC_ASSERT(turns < 10000);
      const auto action = observed.probe.next(now_);
      if (const auto* wait = std::get_if<WaitUntil>(&action)) {
        RC_ASSERT(wait->until > now_);
        now_ = wait->until;
      } else if (std::holds_alternative<RunStep>(action)) {
        run_step();
      } else if (std::holds_alternative<ReadBoard>(action)) {
        if (observed.probe.phase() == Phase::confirming) tell_power();
        now_ += 1ms;
        observed.probe.mode_read(kTheMode, now_);
      }
    }
    observed.check_result();
  }

  Observed observed;

 private:
  void run_step() {
    const int ms = *rc::gen::inRange(1, 40);
    now_ += ms * 1ms;
    observed.step(ms, now_);
  }

  // All readings at once, in any order, now that it is known where the measuring began and ended.
  void tell_power() {
    const auto& settings = observed.settings;
    std::vector<TimePoint> times;
    for (TimePoint at = kBegin; at <= now_ + 50ms; at += *rc::gen::inRange(5, 20) * 1ms)
      times.push_back(at);
    if (*rc::gen::arbitrary<bool>()) std::reverse(times.begin(), times.end());
    for (const TimePoint at : times) {
      const bool inside = at - settings.averaging_window >= *observed.from && at <= *observed.to;
      observed.probe.power_sample(inside ? kHonestW : kOutsideW, at);
    }
  }

  TimePoint now_ = kBegin;
};

RC_GTEST_PROP(ProbeProperty, NoPowerFromOutsideTheMeasuringCounts, ()) {
  Driver driver(any_settings());
  driver.run();
  const auto* found = std::get_if<Measurement>(&*driver.observed.probe.result());
  RC_CLASSIFY(found != nullptr, "found");
  if (found != nullptr) RC_ASSERT(std::abs(found->power_w - kHonestW) < 1e-6);
}

RC_GTEST_PROP(ProbeProperty, AnObedientDriverGetsAMeasurementIfThereIsTime, ()) {
  auto settings = any_settings();
  settings.fewest_power_readings = 1;
  settings.averaging_window += 30ms;  // and so at least one reading falls into the measuring
  settings.time_limit = 1h;
  Driver driver(settings);
  driver.run();
  RC_ASSERT(driver.observed.probe.phase() == Phase::done);
}

}  // namespace
}  // namespace fulcrum::profiler

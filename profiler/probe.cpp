#include "profiler/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fulcrum::profiler {

namespace {

constexpr double kLongestStepMs = 1e9;

std::int64_t steps_to_fill(Duration time, Duration step) {
  return (time + step - Duration(1)) / step;
}

ProbeFault probe_fault(PowerReadings::Mean::Fault fault) {
  return fault == PowerReadings::Mean::Fault::missing ? ProbeFault::power_missing
                                                      : ProbeFault::too_few_power_readings;
}

}  // namespace

Duration ProbeSettings::measuring_time() const {
  return std::max(shortest_measuring, 2 * averaging_window);
}

Duration expected_cost(const ProbeSettings& settings, Duration step_time) {
  const Duration step = std::max(step_time, Duration(1));
  const auto settling = std::max<std::int64_t>(1, steps_to_fill(settings.averaging_window, step));
  const auto measuring =
      std::max<std::int64_t>(settings.minibatches, steps_to_fill(settings.measuring_time(), step));
  return settings.mode_settling + (settling + settings.warm_up_steps + measuring) * step;
}

std::string_view to_string(ProbeFault fault) {
  switch (fault) {
    case ProbeFault::mode_changed:
      return "mode changed";
    case ProbeFault::throttled:
      return "throttled";
    case ProbeFault::power_missing:
      return "power missing";
    case ProbeFault::too_few_power_readings:
      return "too few power readings";
    case ProbeFault::step_failed:
      return "step failed";
    case ProbeFault::board_unreadable:
      return "board unreadable";
    case ProbeFault::timed_out:
      return "timed out";
    case ProbeFault::cancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string_view to_string(Probe::Phase phase) {
  switch (phase) {
    case Probe::Phase::set_up:
      return "set-up";
    case Probe::Phase::settling:
      return "settling";
    case Probe::Phase::warm_up:
      return "warm-up";
    case Probe::Phase::measuring:
      return "measuring";
    case Probe::Phase::confirming:
      return "confirming";
    case Probe::Phase::done:
      return "done";
    case Probe::Phase::invalid:
      return "invalid";
  }
  return "unknown";
}

Probe::Probe(MeasurementKey key, ProbeSettings settings, TimePoint started, std::int64_t started_wall_ms)
    : key_(std::move(key)), settings_(settings), started_(started), started_wall_ms_(started_wall_ms) {
  settings_.minibatches = std::max(settings_.minibatches, 1);
}

ProbeAction Probe::next(TimePoint now) {
  check_time(now);
  if (over()) return ProbeEnded{};
  if (runs_steps()) return RunStep{};
  const TimePoint settled = started_ + settings_.mode_settling;
  if (phase_ == Phase::set_up && now < settled) return WaitUntil{settled};
  return ReadBoard{};
}

bool Probe::runs_steps() const {
  return phase_ == Phase::settling || phase_ == Phase::warm_up || phase_ == Phase::measuring;
}

void Probe::check_time(TimePoint now) {
  if (now - started_ < settings_.time_limit) return;
  fail(ProbeFault::timed_out,
       fmt::format("the probe took longer than {:g} s; it was {}, with {} of {} minibatches measured",
                   to_s(settings_.time_limit), to_string(phase_), steps_measured(), settings_.minibatches));
}

void Probe::step_finished(double step_ms, TimePoint at) {
  check_time(at);
  if (over() || !runs_steps()) return;
  if (!(step_ms > 0 && step_ms <= kLongestStepMs)) {
    return fail(ProbeFault::step_failed, fmt::format("a step is said to have taken {} ms", step_ms));
  }
  if (last_step_ && at < *last_step_) {
    return fail(ProbeFault::step_failed, "a step is said to have ended before the one before it");
  }
  last_step_ = at;
  if (phase_ == Phase::settling) {
    settle(from_ms(step_ms), at);
  } else if (phase_ == Phase::warm_up) {
    if (++warm_up_steps_ >= settings_.warm_up_steps) start_measuring(at);
  } else {
    measure(step_ms, at);
  }
}

void Probe::settle(Duration step, TimePoint ended) {
  if (!loaded_since_) loaded_since_ = std::max(ended - step, mode_confirmed_);
  if (ended - *loaded_since_ < settings_.averaging_window) return;
  phase_ = Phase::warm_up;
  if (settings_.warm_up_steps <= 0) start_measuring(ended);
}

void Probe::start_measuring(TimePoint at) {
  phase_ = Phase::measuring;
  measuring_from_ = at;
}

void Probe::measure(double step_ms, TimePoint ended) {
  step_times_ms_.push_back(step_ms);
  if (steps_measured() < settings_.minibatches) return;
  if (ended - measuring_from_ < settings_.measuring_time()) return;
  measuring_to_ = ended;
  phase_ = Phase::confirming;
}

void Probe::power_sample(double watts, TimePoint at) {
  check_time(at);
  if (!over()) power_.add(watts, at);
}

void Probe::power_missing(const std::string& why, TimePoint at) {
  check_time(at);
  if (!over()) power_.add_missing(why, at);
}

void Probe::mode_read(const PowerMode& mode, TimePoint at) {
  check_time(at);
  if (over() || at < started_ + settings_.mode_settling) return;
  if (mode != key_.mode) {
    return fail(ProbeFault::mode_changed, fmt::format("the board was set to {}, and is in {}",
                                                      key_.mode.to_string(), mode.to_string()));
  }
  if (phase_ == Phase::set_up) {
    phase_ = Phase::settling;
    mode_confirmed_ = at;
  } else if (phase_ == Phase::confirming && at >= measuring_to_) {
    complete(at);
  }
}

void Probe::throttle_count(std::int64_t events) {
  if (over()) return;
  if (!throttle_baseline_) throttle_baseline_ = events;
  if (events == *throttle_baseline_) return;
  fail(ProbeFault::throttled, fmt::format("the board throttled: its count of events went from {} to {}",
                                          *throttle_baseline_, events));
}

void Probe::temperature(double celsius) {
  if (std::isfinite(celsius)) temperature_c_ = celsius;
}

void Probe::fail(ProbeFault fault, std::string message) {
  if (over()) return;
  phase_ = Phase::invalid;
  result_ = InvalidProbe{fault, std::move(message)};
}

void Probe::complete(TimePoint at) {
  auto power = power_.mean_over(
      measuring_from_, measuring_to_,
      {settings_.averaging_window, settings_.longest_power_gap, settings_.fewest_power_readings});
  if (power.fault != PowerReadings::Mean::Fault::none) {
    return fail(probe_fault(power.fault), std::move(power.message));
  }
  Measurement found;
  found.key = key_;
  found.minibatches = steps_measured();
  found.time = summarize(step_times_ms_);
  found.power_w = power.watts;
  found.temperature_c = temperature_c_;
  found.measured_at_ms = started_wall_ms_ + std::llround(to_ms(measuring_to_ - started_));
  found.cost_s = to_s(at - started_);
  phase_ = Phase::done;
  result_ = std::move(found);
}

}  // namespace fulcrum::profiler

#pragma once
// One measurement, as a state machine: what has to happen next, and what the events so far amount to. Pure:
// steps, readings and times are handed in, whoever drives it does the work.
//
//   set_up      the mode has been set; others get time to object, then it is read back
//   settling    steps run until the power sensor's averaging window has passed with the new load
//   warm_up     a few more steps, dropped as well
//   measuring   steps count, until there are enough and enough time has passed
//   confirming  the mode is read once more
//   done | invalid
//
// The driver sets the mode, makes a Probe, does what next() says, and hands in what it sees. Power readings
// (each stamped with the end of its averaging window), modes and throttle counts may come at any time; modes
// and throttle counts should come with every ReadBoard. Whatever the order of events, a measurement rests on
// at least settings.minibatches steps and on no power from outside the time in which they ran, and the probe
// ends: at the latest when a time is handed in that is settings.time_limit after its start.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/clock.h"
#include "powermode/power_mode.h"
#include "profiler/measurement.h"
#include "profiler/power_readings.h"

namespace fulcrum::profiler {

struct ProbeSettings {
  Duration averaging_window{};                                    // Board::averaging_window()
  Duration mode_settling = std::chrono::milliseconds(100);        // before the mode is read back
  int warm_up_steps = 5;                                          // dropped; they come after settling
  int minibatches = 40;                                           // that are measured, at least
  Duration shortest_measuring = std::chrono::milliseconds(1000);  // see measuring_time()
  int fewest_power_readings = 4;                                  // in that time
  Duration longest_power_gap = std::chrono::milliseconds(500);    // readings further apart: one is missing
  Duration time_limit = std::chrono::seconds(60);                 // for all of it

  // At least two averaging windows: a measurement shorter than the sensor's memory measures what was before.
  Duration measuring_time() const;
};

// How long a probe takes if its steps take `step_time` and follow each other at once.
Duration expected_cost(const ProbeSettings& settings, Duration step_time);

enum class ProbeFault {
  mode_changed,  // under us: somebody else turns knobs
  throttled,     // the board protected itself from heat or current
  power_missing,
  too_few_power_readings,
  step_failed,
  board_unreadable,
  timed_out,
  cancelled,  // by the driver
};
std::string_view to_string(ProbeFault fault);

struct InvalidProbe {
  ProbeFault fault = ProbeFault::cancelled;
  std::string message;
};

// What the driver does next. When it is done, it asks again.
struct RunStep {};    // one minibatch; then step_finished
struct ReadBoard {};  // throttle_count, if the board counts; then mode_read
struct WaitUntil {
  TimePoint until;
};
struct ProbeEnded {};  // result() has a value
using ProbeAction = std::variant<RunStep, ReadBoard, WaitUntil, ProbeEnded>;

class Probe {
 public:
  enum class Phase { set_up, settling, warm_up, measuring, confirming, done, invalid };

  // `started` is when the mode had been set, `started_wall_ms` the same in milliseconds since 1970.
  Probe(MeasurementKey key, ProbeSettings settings, TimePoint started, std::int64_t started_wall_ms);

  ProbeAction next(TimePoint now);

  // A step that next() asked for took so long and ended at `at`.
  void step_finished(double step_ms, TimePoint at);
  void power_sample(double watts, TimePoint at);
  void power_missing(const std::string& why, TimePoint at);  // the sensor could not be read
  void mode_read(const PowerMode& mode, TimePoint at);
  void throttle_count(std::int64_t events);  // since the board started; the first one given is the baseline
  void temperature(double celsius);
  // What goes wrong outside: a step failed, knobs cannot be read, nobody needs the measurement any more.
  void fail(ProbeFault fault, std::string message);

  Phase phase() const { return phase_; }
  int steps_measured() const { return static_cast<int>(step_times_ms_.size()); }
  const MeasurementKey& key() const { return key_; }
  // The interval that a measurement is about, once there is one.
  TimePoint measured_from() const { return measuring_from_; }
  TimePoint measured_to() const { return measuring_to_; }

  using Result = std::variant<Measurement, InvalidProbe>;
  const std::optional<Result>& result() const { return result_; }

 private:
  bool over() const { return result_.has_value(); }
  bool runs_steps() const;
  void check_time(TimePoint now);
  void settle(Duration step, TimePoint ended);
  void start_measuring(TimePoint at);
  void measure(double step_ms, TimePoint ended);
  void complete(TimePoint at);

  MeasurementKey key_;
  ProbeSettings settings_;
  TimePoint started_;
  std::int64_t started_wall_ms_;

  Phase phase_ = Phase::set_up;
  TimePoint mode_confirmed_{};
  std::optional<TimePoint> loaded_since_;
  std::optional<TimePoint> last_step_;
  int warm_up_steps_ = 0;
  TimePoint measuring_from_{};
  TimePoint measuring_to_{};
  std::vector<double> step_times_ms_;
  PowerReadings power_;
  std::optional<std::int64_t> throttle_baseline_;
  std::optional<double> temperature_c_;
  std::optional<Result> result_;
};

std::string_view to_string(Probe::Phase phase);

}  // namespace fulcrum::profiler

#include "daemon/probe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/own_power.h"

namespace fulcrum::daemon {

namespace {

// A probe whose steps find no place between the requests for a part of its time will not find it.
constexpr int kStarvedPart = 6;

// Measured clocks are off by some percent; throttling halves them.
constexpr double kMostSlowdown = 0.25;

Duration overlap(const worker::DeviceSlice& slice, TimePoint from, TimePoint to) {
  const auto begin = std::max(from_ns(slice.started_ns), from);
  const auto end = std::min(from_ns(slice.ended_ns), to);
  return std::max(end - begin, Duration::zero());
}

}  // namespace

ProbeRun::ProbeRun(Order order, const Board& board, const Clock& clock)
    : order_(std::move(order)),
      board_(board),
      clock_(clock),
      probe_(order_.key, order_.settings, clock.now(), clock.wall_ms()),
      started_(clock.now()),
      last_step_(started_) {}

void ProbeRun::slices(const std::vector<worker::DeviceSlice>& slices) {
  for (const auto& slice : slices) {
    slices_.push_back(slice);
    const bool ordered = slice.job == order_.job && slice.probe && slice.batch_size == order_.key.batch_size;
    if (!ordered || from_ns(slice.started_ns) < started_) continue;  // of an order before this one
    const auto ended = from_ns(slice.ended_ns);
    last_step_ = std::max(last_step_, ended);
    probe_.step_finished(to_ms(ended - from_ns(slice.started_ns)), ended);
  }
}

void ProbeRun::power(const Expected<PowerSample>& sample) {
  if (sample) {
    probe_.power_sample(sample->total_w, sample->taken_at);
  } else {
    probe_.power_missing(sample.error().to_string(), clock_.now());
  }
}

void ProbeRun::advance() {
  if (result_) return;
  give_up_if_starved();
  // Once at most: a worker that tells of steps from the future is waited for, not spun on.
  if (std::holds_alternative<profiler::ReadBoard>(probe_.next(clock_.now()))) read_board();
  if (std::holds_alternative<profiler::ProbeEnded>(probe_.next(clock_.now()))) conclude();
}

void ProbeRun::read_board() {
  const auto throttled = board_.read_throttle_events();
  const auto temperature = board_.read_temperature_c();
  const auto mode = board_.read_mode();
  for (const auto* error : {throttled ? nullptr : &throttled.error(), mode ? nullptr : &mode.error()}) {
    if (error != nullptr) return probe_.fail(profiler::ProbeFault::board_unreadable, error->to_string());
  }
  for (const auto& [unit, lost] : {std::pair("CPU", board_.read_cpu_slowdown().value_or(0)),
                                   {"GPU", board_.read_gpu_slowdown().value_or(0)}}) {
    if (lost <= kMostSlowdown) continue;
    return probe_.fail(profiler::ProbeFault::throttled,
                       fmt::format("the hardware runs the {} {:.0f} % below its clock", unit, 100 * lost));
  }
  // A board that has no count of them, or no thermometer that answers, is measured without.
  if (*throttled) probe_.throttle_count(**throttled);
  if (temperature) probe_.temperature(*temperature);
  probe_.mode_read(*mode, clock_.now());
}

void ProbeRun::give_up_if_starved() {
  if (clock_.now() - last_step_ < order_.settings.time_limit / kStarvedPart) return;
  probe_.fail(profiler::ProbeFault::timed_out,
              "no step finds a place between the requests that are answered");
}

void ProbeRun::conclude() {
  result_ = probe_.result();
  auto* measured = std::get_if<profiler::Measurement>(&*result_);
  if (measured == nullptr) return;
  const auto from = probe_.measured_from();
  const auto to = probe_.measured_to();
  Duration own{};
  std::vector<profiler::ForeignTime> foreign;
  for (const auto& slice : slices_) {
    if (slice.job == order_.job) {
      own += overlap(slice, from, to);
    } else if (const auto power_w = order_.foreign_power_w(slice.job, slice.batch_size)) {
      foreign.push_back({overlap(slice, from, to), *power_w});
    }
  }
  auto power_w = profiler::own_power_w(measured->power_w, to - from, own, foreign, order_.idle_w);
  if (power_w) {
    measured->power_w = *power_w;
  } else {
    result_ = profiler::InvalidProbe{profiler::ProbeFault::power_missing, power_w.error().message};
  }
}

}  // namespace fulcrum::daemon

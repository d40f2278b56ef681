#pragma once
// Whether other programs use the GPU: its load, as the kernel measures it, beyond the time in which our own
// steps ran. While our steps fill nearly all of the time nobody can tell.

#include <deque>
#include <optional>

#include "common/clock.h"

namespace fulcrum::daemon {

class GpuWatch {
 public:
  // A step of ours ran from `begun` to `ended`.
  void step(TimePoint begun, TimePoint ended);
  // ... or runs since then.
  void running(TimePoint since) { running_since_ = since; }
  // The GPU's load at this time, 0 to 1: of the time of late, however the kernel means that.
  void load(double load, TimePoint at);

  // The part of the time, 0 to 1, in which others used it over the last window; 0 where it is too small to
  // be told from noise. None: not known of late.
  std::optional<double> foreign(TimePoint now) const;

 private:
  struct Span {
    TimePoint begun;
    TimePoint ended;
  };
  struct Sample {
    TimePoint at;
    double load = 0;
  };

  double own_share(TimePoint from, TimePoint to) const;

  std::deque<Span> steps_;
  std::optional<TimePoint> running_since_;
  std::deque<Sample> samples_;
  std::optional<double> foreign_;
  TimePoint known_at_{};
};

}  // namespace fulcrum::daemon

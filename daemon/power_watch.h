#pragma once
// What the board has drawn of late, to be held against its budget.

#include <optional>

#include "common/clock.h"
#include "daemon/power_meter.h"

namespace fulcrum::daemon {

class PowerWatch {
 public:
  // `settling`: how long after a change of mode the sensors still tell of what was before.
  PowerWatch(Duration window, Duration settling) : window_(window), settling_(settling) {}

  // The mode or the work has changed.
  void restart(TimePoint now);

  // The mean over a window, whenever one is full.
  std::optional<double> add(double watts, TimePoint at);

  // Of the last full window.
  std::optional<double> mean_w() const { return mean_w_; }

 private:
  Duration window_;
  Duration settling_;
  TimePoint from_{};
  std::optional<TimePoint> first_;
  PowerMeter meter_;
  std::optional<double> mean_w_;
};

}  // namespace fulcrum::daemon

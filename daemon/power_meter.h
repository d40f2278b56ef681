#pragma once
// Mean and peak of what the power sensors showed.

#include <optional>

#include "common/clock.h"

namespace fulcrum::daemon {

// Each reading counts for the time until the next.
class PowerMeter {
 public:
  void add(double watts, TimePoint at);

  std::optional<double> mean_w() const;  // none before two readings
  double energy_j() const { return joules_; }
  Duration measured() const { return measured_; }
  std::optional<double> peak_w() const;  // none before one
  std::optional<double> last_w() const;  // likewise

 private:
  struct Reading {
    double watts;
    TimePoint at;
  };
  std::optional<Reading> last_;
  double joules_ = 0;
  Duration measured_{};
  double peak_w_ = 0;
};

}  // namespace fulcrum::daemon

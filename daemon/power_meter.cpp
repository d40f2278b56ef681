#include "daemon/power_meter.h"

#include <algorithm>

namespace fulcrum::daemon {

void PowerMeter::add(double watts, TimePoint at) {
  if (last_) {
    joules_ += last_->watts * to_s(at - last_->at);
    measured_ += at - last_->at;
  }
  peak_w_ = std::max(peak_w_, watts);
  last_ = Reading{watts, at};
}

std::optional<double> PowerMeter::mean_w() const {
  if (measured_ <= Duration::zero()) return std::nullopt;
  return joules_ / to_s(measured_);
}

std::optional<double> PowerMeter::last_w() const {
  if (!last_) return std::nullopt;
  return last_->watts;
}

std::optional<double> PowerMeter::peak_w() const {
  if (!last_) return std::nullopt;
  return peak_w_;
}

}  // namespace fulcrum::daemon

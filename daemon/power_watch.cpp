#include "daemon/power_watch.h"

namespace fulcrum::daemon {

void PowerWatch::restart(TimePoint now) {
  from_ = now + settling_;
  first_.reset();
  meter_ = PowerMeter();
  mean_w_.reset();
}

std::optional<double> PowerWatch::add(double watts, TimePoint at) {
  if (at < from_) return std::nullopt;
  if (!first_) first_ = at;
  meter_.add(watts, at);
  if (at - *first_ < window_) return std::nullopt;
  mean_w_ = meter_.mean_w();
  first_ = at;
  meter_ = PowerMeter();
  meter_.add(watts, at);
  return mean_w_;
}

}  // namespace fulcrum::daemon

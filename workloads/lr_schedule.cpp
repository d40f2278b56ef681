#include "workloads/lr_schedule.h"

#include <algorithm>
#include <cmath>

namespace fulcrum::workloads {

namespace {

constexpr double kPi = 3.14159265358979323846;

double cosine_factor(const ScheduleSpec& schedule, double step, double steps_per_epoch) {
  const double warmup = schedule.warmup_steps;
  const double length = schedule.over_epochs * steps_per_epoch - warmup;
  const double done = length > 0 ? std::clamp((step - warmup) / length, 0.0, 1.0) : 1.0;
  return schedule.min_factor + (1 - schedule.min_factor) * (1 + std::cos(kPi * done)) / 2;
}

}  // namespace

double lr_factor(const ScheduleSpec& schedule, std::uint64_t step, std::uint64_t steps_per_epoch) {
  if (step < static_cast<std::uint64_t>(schedule.warmup_steps)) {
    return static_cast<double>(step + 1) / schedule.warmup_steps;
  }
  if (schedule.name == "step") {
    const std::uint64_t epoch = step / steps_per_epoch;
    const std::uint64_t drops = epoch / static_cast<std::uint64_t>(schedule.every_epochs);
    return std::pow(schedule.gamma, static_cast<double>(drops));
  }
  if (schedule.name == "cosine") {
    return cosine_factor(schedule, static_cast<double>(step), static_cast<double>(steps_per_epoch));
  }
  return 1;
}

}  // namespace fulcrum::workloads

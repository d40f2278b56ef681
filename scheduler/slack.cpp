#include "scheduler/slack.h"

#include <algorithm>
#include <cmath>

namespace fulcrum::scheduler {

namespace {

constexpr int kMostWindows = 1000;
constexpr double kRounding = 1e-9;  // a quotient that misses a whole number by so little is that number

}  // namespace

int minibatches_in(double free_ms, double step_ms) {
  if (!(step_ms > 0) || free_ms <= 0) return 0;
  return static_cast<int>(std::min<double>(std::floor(free_ms / step_ms + kRounding), kMostMinibatches));
}

double slack_ms(double latency_budget_ms, double arrival_rate_hz, int batch_size, double inference_ms) {
  return latency_budget_ms - 1000.0 * (batch_size - 1) / arrival_rate_hz - inference_ms;
}

double slack_minibatches_per_window(const SlackCycle& c) {
  if (c.inference_ms > c.window_ms || c.slack_ms < 0 || !(c.training_ms > 0)) return 0;
  const double all_the_time = (c.window_ms - c.inference_ms) / c.training_ms;
  // Something always fits before the latest start: the device is never idle.
  if (c.slack_ms >= c.training_ms) return all_the_time;
  // `late`: when the inference of the window before ended, after this window's batch became full (< 0:
  // before). The pattern repeats from wherever a batch starts the moment it is full, so it is begun there.
  double late = c.inference_ms - c.window_ms;
  double trained = 0;
  int windows = 0;
  for (bool repeats = false; !repeats && windows < kMostWindows; ++windows) {
    const double fit = std::max(0.0, std::floor((c.slack_ms - late) / c.training_ms + kRounding));
    const double start = std::max(0.0, late + fit * c.training_ms);
    trained += fit;
    repeats = start <= 0;
    late = start + c.inference_ms - c.window_ms;
  }
  // A pattern that is cut off may end with a minibatch that the next window pays for.
  return std::min(trained / windows, all_the_time);
}

}  // namespace fulcrum::scheduler

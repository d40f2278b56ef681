#include "scheduler/acquisition.h"

#include <algorithm>
#include <cmath>

#include "scheduler/slack.h"

namespace fulcrum::scheduler {

namespace {

constexpr double kRoot2 = 1.4142135623730951;
constexpr double kRoot3 = 1.7320508075688772;
constexpr double kRoot2Pi = 2.5066282746310002;

double normal_cdf(double x) {
  return std::erfc(-x / kRoot2) / 2;
}

double normal_pdf(double x) {
  return std::exp(-x * x / 2) / kRoot2Pi;
}

// E max(0, x - best), x normal.
double gain(double mean, double deviation, double best) {
  const double z = (mean - best) / deviation;
  return deviation * (z * normal_cdf(z) + normal_pdf(z));
}

// E max(0, floor(x) - best), x normal.
double gain_of_whole(double mean, double deviation, double best) {
  constexpr double kWide = .7;  // from here on the steps of floor() are a slope, half a step lower
  constexpr double kSure = 5;
  if (deviation > kWide) return gain(mean - .5, deviation, best);
  const double first = std::floor(best) + 1;
  const double sure = std::floor(mean - kSure * deviation);
  double sum = sure >= first ? sure - best : 0;
  for (double k = std::max(first, sure + 1); k <= mean + kSure * deviation; ++k) {
    const double step = k == first ? first - best : 1;
    sum += step * normal_cdf((mean - k) / deviation);
  }
  return sum;
}

// Gauss-Hermite, three points of a standard normal.
struct Node {
  double at;
  double weight;
};
constexpr Node kNodes[] = {{-kRoot3, 1.0 / 6}, {0, 2.0 / 3}, {kRoot3, 1.0 / 6}};

double minibatches_under_slack(const Problem& problem, int batch_size, double training_ms,
                               double inference_ms) {
  return slack_minibatches_per_window(
      {problem.window_ms(batch_size), inference_ms, training_ms,
       slack_ms(problem.latency_budget_ms, problem.arrival_rate_hz, batch_size, inference_ms)});
}

}  // namespace

double chance_below(const Belief& belief, double limit) {
  if (limit <= 0) return 0;
  return normal_cdf((std::log(limit) - belief.mean) / belief.deviation);
}

double expected_saving(const Belief& time, double best_ms) {
  return gain(-time.mean, time.deviation, -std::log(best_ms));
}

double expected_latency_gain(const Belief& time, double window_ms, double limit_ms, double best_ms) {
  const double to_beat_ms = best_ms - window_ms;
  const double limit = std::min(limit_ms, to_beat_ms);
  if (limit <= 0) return 0;
  const double d = (std::log(limit) - time.mean) / time.deviation;
  const double mean_ms = std::exp(time.mean + time.deviation * time.deviation / 2);
  return std::max(0.0, to_beat_ms * normal_cdf(d) - mean_ms * normal_cdf(d - time.deviation));
}

double expected_throughput_gain(const Problem& problem, int batch_size, const Belief& training,
                                const Belief& inference, double best_hz) {
  const double window_ms = problem.window_ms(batch_size);
  const double windows_hz = 1000 / window_ms;
  const double best = best_hz / windows_hz;  // minibatches per window
  const double inference_ms = std::exp(inference.mean);
  const double training_ms = std::exp(training.mean);
  const double mean = (window_ms - inference_ms) / training_ms;
  const double deviation =
      std::max(1e-3, std::hypot(inference_ms * inference.deviation / training_ms, mean * training.deviation));
  if (problem.policy == Policy::managed) return windows_hz * gain_of_whole(mean, deviation, best);
  // Without steps where a minibatch surely fits before the latest start; no better elsewhere.
  const double smooth = windows_hz * gain(mean, deviation, best);
  const double slack = slack_ms(problem.latency_budget_ms, problem.arrival_rate_hz, batch_size, inference_ms);
  if (problem.several || slack >= training_ms * std::exp(2 * training.deviation) ||
      mean + 4 * deviation <= best)
    return smooth;
  double sum = 0;
  for (const auto& t : kNodes) {
    for (const auto& i : kNodes) {
      const double fit =
          minibatches_under_slack(problem, batch_size, std::exp(training.mean + t.at * training.deviation),
                                  std::exp(inference.mean + i.at * inference.deviation));
      sum += t.weight * i.weight * std::max(0.0, fit - best);
    }
  }
  return windows_hz * sum;
}

}  // namespace fulcrum::scheduler

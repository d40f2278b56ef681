#include "networks/network_learner.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>

#include "networks/ensemble.h"
#include "networks/physics.h"

namespace fulcrum::networks {

namespace {

using scheduler::LearnedPoint;
using scheduler::LearnerPoint;
using scheduler::Profile;

constexpr double kLineRidge = 1;
constexpr double kLeastEstimate = 1e-9;
constexpr double kLeastDeviation = 1e-6;

// Samples and points one behind the other.
struct Task {
  std::size_t samples = 0;
  std::vector<LearnerPoint> all;
  Rows inputs;  // standardised logarithms of what tells the points apart
};

void standardise(Rows& rows, std::size_t column) {
  const auto n = static_cast<double>(rows.size());
  double mean = 0;
  double square = 0;
  for (const auto& row : rows)
    mean += row[column] / n;
  for (const auto& row : rows)
    square += (row[column] - mean) * (row[column] - mean) / n;
  const double deviation = std::sqrt(square);
  for (auto& row : rows)
    row[column] = deviation > kLeastDeviation ? (row[column] - mean) / deviation : 0;
}

Task task_of(const std::vector<Profile>& samples, const std::vector<LearnerPoint>& points) {
  Task task;
  task.samples = samples.size();
  task.all.reserve(samples.size() + points.size());
  for (const auto& sample : samples)
    task.all.push_back({sample.mode, sample.batch_size});
  task.all.insert(task.all.end(), points.begin(), points.end());
  task.inputs.reserve(task.all.size());
  for (const auto& [mode, batch] : task.all) {
    task.inputs.push_back({std::log(mode.cpu_cores), std::log(static_cast<double>(mode.cpu_khz)),
                           std::log(static_cast<double>(mode.gpu_hz)),
                           std::log(static_cast<double>(mode.emc_hz)), std::log(batch)});
  }
  for (std::size_t column = 0; column < task.inputs.front().size(); ++column)
    standardise(task.inputs, column);
  return task;
}

double product(const std::vector<double>& weights, const std::vector<double>& terms) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] * terms[i];
  return sum;
}

Rows first_rows(const Rows& rows, std::size_t count) {
  return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count)};
}

InputTable table_of(const Rows& rows, std::size_t first, std::size_t last) {
  InputTable table;
  table.columns = rows.front().size();
  table.values.reserve(table.columns * (last - first));
  for (std::size_t row = first; row < last; ++row) {
    for (const double value : rows[row])
      table.values.push_back(static_cast<float>(value));
  }
  return table;
}

// Of the points: the ensemble's logarithms.
struct Learned {
  std::vector<double> mean;
  std::vector<double> spread;
};

// The logarithm of physics' estimate for every point, by weights that fit the samples.
std::vector<double> estimate(const Rows& terms, const std::vector<double>& values) {
  const auto weights = fit_terms(first_rows(terms, values.size()), values);
  std::vector<double> estimates;
  estimates.reserve(terms.size());
  for (const auto& row : terms)
    estimates.push_back(std::log(std::max(product(weights, row), kLeastEstimate)));
  return estimates;
}

// Adds a straight line through what the estimates miss of the samples' values; gives what it still misses.
std::vector<double> straighten(std::vector<double>& estimates, const Rows& inputs,
                               const std::vector<double>& values) {
  std::vector<double> missed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    missed[i] = std::log(values[i]) - estimates[i];
  const auto line = fit_line(first_rows(inputs, values.size()), missed, kLineRidge);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    double add = line.front();
    for (std::size_t j = 0; j < inputs[i].size(); ++j)
      add += line[j + 1] * inputs[i][j];
    estimates[i] += add;
    if (i < missed.size()) missed[i] -= add;
  }
  return missed;
}

double deviation(const std::vector<double>& values) {
  double square = 0;
  for (const double value : values)
    square += value * value / static_cast<double>(values.size());
  return std::sqrt(square) + kLeastDeviation;
}

Learned learn_rest(const Rows& inputs, const std::vector<double>& estimates,
                   const std::vector<double>& missed, std::uint64_t seed) {
  const double scale = deviation(missed);
  std::vector<float> targets;
  targets.reserve(missed.size());
  for (const double value : missed)
    targets.push_back(static_cast<float>(value / scale));
  const auto members = train_and_predict(table_of(inputs, 0, missed.size()), targets,
                                         table_of(inputs, missed.size(), inputs.size()), seed);
  Learned learned;
  const std::size_t points = inputs.size() - missed.size();
  learned.mean.reserve(points);
  learned.spread.reserve(points);
  for (std::size_t i = 0; i < points; ++i) {
    double mean = 0;
    double square = 0;
    for (const auto& member : members)
      mean += scale * static_cast<double>(member[i]) / kMembers;
    for (const auto& member : members)
      square += std::pow(scale * static_cast<double>(member[i]) - mean, 2) / kMembers;
    learned.mean.push_back(estimates[missed.size() + i] + mean);
    learned.spread.push_back(std::sqrt(square));
  }
  return learned;
}

Learned learn_times(const Task& task, const std::vector<double>& times_ms, std::uint64_t seed) {
  Rows terms;
  terms.reserve(task.all.size());
  for (const auto& point : task.all)
    terms.push_back(time_terms(point));
  auto estimates = estimate(terms, times_ms);
  const auto missed = straighten(estimates, task.inputs, times_ms);
  return learn_rest(task.inputs, estimates, missed, seed);
}

// The estimate is an input as well: it carries what the time says of the load.
Learned learn_powers(const Task& task, const std::vector<double>& times_ms, const Learned& learned_times,
                     const std::vector<double>& powers_w, std::uint64_t seed) {
  Rows terms;
  terms.reserve(task.all.size());
  for (std::size_t i = 0; i < task.all.size(); ++i) {
    const double time_ms = i < task.samples ? times_ms[i] : std::exp(learned_times.mean[i - task.samples]);
    terms.push_back(power_terms(task.all[i], time_ms));
  }
  auto estimates = estimate(terms, powers_w);
  Rows inputs = task.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i].push_back(estimates[i]);
  standardise(inputs, inputs.front().size() - 1);
  const auto missed = straighten(estimates, task.inputs, powers_w);
  return learn_rest(inputs, estimates, missed, seed);
}

std::vector<LearnedPoint> learn_all(const std::vector<Profile>& samples,
                                    const std::vector<LearnerPoint>& points, std::uint64_t seed) {
  const Task task = task_of(samples, points);
  std::vector<double> times_ms;
  std::vector<double> powers_w;
  times_ms.reserve(samples.size());
  powers_w.reserve(samples.size());
  for (const auto& sample : samples) {
    times_ms.push_back(sample.p50_ms);
    powers_w.push_back(sample.power_w);
  }
  const auto times = learn_times(task, times_ms, 2 * seed);
  const auto powers = learn_powers(task, times_ms, times, powers_w, 2 * seed + 1);
  std::vector<LearnedPoint> learned(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    learned[i] = {std::exp(times.mean[i]), std::exp(powers.mean[i]), times.spread[i], powers.spread[i]};
  }
  return learned;
}

class NetworkLearner final : public scheduler::Learner {
 public:
  Expected<std::vector<LearnedPoint>> learn(const std::vector<Profile>& samples,
                                            const std::vector<LearnerPoint>& points,
                                            std::uint64_t seed) const override {
    if (samples.empty()) return fail(ErrorCode::invalid_argument, "learning a workload: nothing is measured");
    try {
      return learn_all(samples, points, seed);
    } catch (const std::exception& e) {
      // LibTorch appends the way through its sources, from the second line on.
      const std::string what = e.what();
      return fail(ErrorCode::internal, "learning a workload: " + what.substr(0, what.find('\n')));
    }
  }
};

}  // namespace

std::unique_ptr<scheduler::Learner> make_network_learner() {
  return std::make_unique<NetworkLearner>();
}

}  // namespace fulcrum::networks

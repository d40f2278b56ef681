#include "networks/physics.h"

#include <algorithm>
#include <cstddef>

namespace fulcrum::networks {

namespace {

constexpr double kTermRidge = 1e-3;
constexpr int kSweeps = 300;

double ghz_of_hz(std::int64_t hz) {
  return static_cast<double>(hz) / 1e9;
}

double ghz_of_khz(std::int64_t khz) {
  return static_cast<double>(khz) / 1e6;
}

// min |A x - y|^2 + sum ridge_j x_j^2 by its normal equations, a coordinate at a time.
std::vector<double> least_squares(const Rows& a, const std::vector<double>& y,
                                  const std::vector<double>& ridge, bool nonnegative) {
  const std::size_t n = ridge.size();
  Rows gram(n, std::vector<double>(n, 0.0));
  std::vector<double> right(n, 0.0);
  for (std::size_t row = 0; row < a.size(); ++row) {
    for (std::size_t i = 0; i < n; ++i) {
      right[i] += a[row][i] * y[row];
      for (std::size_t j = 0; j < n; ++j)
        gram[i][j] += a[row][i] * a[row][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    gram[i][i] += ridge[i];
  std::vector<double> x(n, 0.0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      if (gram[i][i] <= 0) continue;
      double rest = right[i];
      for (std::size_t j = 0; j < n; ++j)
        rest -= gram[i][j] * x[j];
      x[i] += rest / gram[i][i];
      if (nonnegative) x[i] = std::max(0.0, x[i]);
    }
  }
  return x;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<double> time_terms(const scheduler::LearnerPoint& point) {
  const double cpu = ghz_of_khz(point.mode.cpu_khz);
  const double n = point.mode.cpu_cores;
  const double b = point.batch_size;
  std::vector<double> terms{1, 1 / cpu, 1 / (n * cpu), 1 / ghz_of_hz(point.mode.gpu_hz),
                            1 / ghz_of_hz(point.mode.emc_hz)};
  const std::size_t once = terms.size();
  terms.resize(2 * once);
  for (std::size_t i = 0; i < once; ++i)
    terms[once + i] = b * terms[i];
  return terms;
}

std::vector<double> power_terms(const scheduler::LearnerPoint& point, double time_ms) {
  const double cpu = ghz_of_khz(point.mode.cpu_khz);
  const double gpu = ghz_of_hz(point.mode.gpu_hz);
  const double emc = ghz_of_hz(point.mode.emc_hz);
  const double n = point.mode.cpu_cores;
  const double rate = point.batch_size / time_ms;
  return {1,   emc,       cpu,       cpu * cpu, n * cpu,          n * cpu * cpu,
          gpu, gpu * gpu, gpu * emc, rate,      rate * gpu * gpu, rate * emc};
}

std::vector<double> fit_terms(const Rows& terms, const std::vector<double>& values) {
  const std::size_t n = terms.front().size();
  std::vector<double> scale(n, 0.0);
  for (const auto& row : terms) {
    for (std::size_t i = 0; i < n; ++i)
      scale[i] += row[i] / static_cast<double>(terms.size());
  }
  Rows relative = terms;
  for (std::size_t row = 0; row < terms.size(); ++row) {
    for (std::size_t i = 0; i < n; ++i)
      relative[row][i] /= scale[i] * values[row];
  }
  const double typical = median(values);
  auto weights = least_squares(relative, std::vector<double>(terms.size(), 1.0),
                               std::vector<double>(n, kTermRidge / (typical * typical)), true);
  for (std::size_t i = 0; i < n; ++i)
    weights[i] /= scale[i];
  return weights;
}

std::vector<double> fit_line(const Rows& inputs, const std::vector<double>& values, double ridge) {
  Rows with_constant = inputs;
  for (auto& row : with_constant)
    row.insert(row.begin(), 1.0);
  std::vector<double> ridges(with_constant.front().size(), ridge);
  ridges.front() = 0;
  return least_squares(with_constant, values, ridges, false);
}

}  // namespace fulcrum::networks

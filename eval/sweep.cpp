#include "eval/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "common/random_bits.h"
#include "eval/number.h"

namespace fulcrum::eval {

using scheduler::Problem;
using scheduler::ProblemKind;

namespace {

constexpr double kMostValues = 1e6;

}  // namespace

double Range::count() const {
  return std::floor((last - first) / step + 1e-9) + 1;
}

std::vector<double> Range::values() const {
  std::vector<double> all(static_cast<std::size_t>(count()));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = first + static_cast<double>(i) * step;
  return all;
}

Expected<Range> Range::parse(const std::string& text) {
  const auto wrong = [&text](const char* why) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no range: {}", text, why),
                "a range is first:last:step, such as 10:50:1, or one number");
  };
  std::vector<double> parts;
  std::size_t from = 0;
  for (;;) {
    const auto colon = text.find(':', from);
    const auto part = std::string_view(text).substr(from, colon == std::string::npos ? colon : colon - from);
    const auto number = parse_number<double>(part);
    if (!number) return wrong("it has something that is no number");
    parts.push_back(*number);
    if (colon == std::string::npos) break;
    from = colon + 1;
  }
  if (parts.size() != 1 && parts.size() != 3) return wrong("it has neither one number nor three");
  const Range range = parts.size() == 1 ? Range{parts[0], parts[0], 1} : Range{parts[0], parts[1], parts[2]};
  if (range.first <= 0) return wrong("it must be positive");
  if (range.step <= 0 || range.last < range.first) return wrong("it must go upwards");
  if (range.count() > kMostValues) return wrong("it has more than a million values");
  return range;
}

Budgets default_budgets(ProblemKind kind) {
  const Range power{10, 50, 1};
  if (kind == ProblemKind::concurrent) return {power, {500, 2000, 100}, {30, 120, 10}};
  return {power, {50, 150, 10}, {30, 90, 5}};
}

std::vector<Problem> problems_of(const Bench& bench, const Budgets& budgets, scheduler::Policy policy) {
  Problem problem;
  problem.kind = bench.kind;
  problem.grid = bench.grid;
  problem.policy = policy;
  problem.decide_with = scheduler::TimeStatistic::p50;
  if (bench.training) problem.training_batch_size = bench.training->batch_sizes().front();
  const bool infers = bench.inference.has_value();
  if (infers) problem.inference_batch_sizes = bench.inference->batch_sizes();
  const auto latencies = infers ? budgets.latency_ms.values() : std::vector<double>{0};
  const auto rates = infers ? budgets.rate_hz.values() : std::vector<double>{0};
  std::vector<Problem> problems;
  for (const double power : budgets.power_w.values()) {
    problem.power_budget_w = power;
    for (const double latency : latencies) {
      problem.latency_budget_ms = latency;
      for (const double rate : rates) {
        problem.arrival_rate_hz = rate;
        problems.push_back(problem);
      }
    }
  }
  return problems;
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  RandomBits random(seed);
  shuffle(numbers, random);
  return numbers;
}

std::vector<std::size_t> sampled(std::size_t count, double part, std::uint64_t seed) {
  auto numbers = shuffled(count, seed);
  const auto wanted = static_cast<std::size_t>(std::lround(part * static_cast<double>(count)));
  numbers.resize(std::min(count, std::max<std::size_t>(1, wanted)));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace fulcrum::eval

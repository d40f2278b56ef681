#include "scheduler/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "common/finite.h"

namespace fulcrum::scheduler {

namespace {

Unexpected wrong(const char* field, const std::string& what) {
  auto failure = fail(ErrorCode::invalid_argument, fmt::format("problem: {} {}", field, what));
  failure.value().field = field;
  return failure;
}

}  // namespace

std::string_view to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::train:
      return "train";
    case ProblemKind::infer:
      return "infer";
    case ProblemKind::concurrent:
      break;
  }
  return "concurrent";
}

std::string_view to_string(Policy policy) {
  return policy == Policy::managed ? "managed" : "slack";
}

double with_guard(double value, double noise, int measurements) {
  const double deviation = noise / std::sqrt(measurements);
  return value * (1 + std::max(0.0, kGuardDeviations * deviation - kGuardTolerance));
}

double Problem::longest_inference_ms(int batch_size) const {
  const double window = window_ms(batch_size);
  const double longest = std::min(latency_budget_ms - window, window);
  if (!several) return longest;
  const auto& sizes = inference_batch_sizes;
  const auto number = std::lower_bound(sizes.begin(), sizes.end(), batch_size) - sizes.begin();
  return std::min(longest, several->batches.at(static_cast<std::size_t>(number)).longest_step_ms);
}

double Problem::longest_training_ms(double one_of_each_ms) const {
  return several ? several->tightest_budget_ms - one_of_each_ms : std::numeric_limits<double>::infinity();
}

std::vector<int> possible_batch_sizes(const Problem& problem) {
  std::vector<int> possible;
  for (const int batch : problem.inference_batch_sizes) {
    if (problem.window_ms(batch) < problem.latency_budget_ms) possible.push_back(batch);
  }
  return possible;
}

Expected<void> check(const Problem& problem) {
  if (problem.grid.size() == 0) return wrong("grid", "has no modes");
  if (problem.power_budget_w && !finite_and_positive(*problem.power_budget_w)) {
    return wrong("power_budget_w", fmt::format("must be positive, is {}", *problem.power_budget_w));
  }
  for (const double noise : {problem.noise.time, problem.noise.power}) {
    if (!(noise >= 0 && noise < 1))
      return wrong("noise", fmt::format("must be from 0 to below 1, is {}", noise));
  }
  if (problem.max_profiles && *problem.max_profiles < 1) {
    return wrong("max_profiles", fmt::format("must be at least 1, is {}", *problem.max_profiles));
  }
  if (problem.trains() && problem.training_batch_size < 1) {
    return wrong("training_batch_size",
                 fmt::format("must be at least 1, is {}", problem.training_batch_size));
  }
  if (!problem.infers()) return {};
  if (!finite_and_positive(problem.latency_budget_ms)) {
    return wrong("latency_budget_ms", fmt::format("must be positive, is {}", problem.latency_budget_ms));
  }
  if (!finite_and_positive(problem.arrival_rate_hz)) {
    return wrong("arrival_rate_hz", fmt::format("must be positive, is {}", problem.arrival_rate_hz));
  }
  const auto& sizes = problem.inference_batch_sizes;
  if (sizes.empty() || sizes.front() < 1 ||
      std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) != sizes.end()) {
    return wrong("inference_batch_sizes", "must be positive and ascending");
  }
  if (problem.several && problem.several->batches.size() != sizes.size()) {
    return wrong("several",
                 fmt::format("has {} batches for {} sizes", problem.several->batches.size(), sizes.size()));
  }
  return {};
}

}  // namespace fulcrum::scheduler

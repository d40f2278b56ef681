#include "scheduler/exploration.h"

#include <algorithm>
#include <cmath>

namespace fulcrum::scheduler {

namespace {

constexpr int kBudgets = 16;
// 16ths of the range, each between those before it.
constexpr int kSpreadOrder[kBudgets] = {16, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

struct Range {
  double least_w = 0;
  double most_w = 0;
};

std::optional<Range> power_range(const ProfileSet& profiles) {
  std::optional<Range> range;
  for (const auto& [key, profile] : profiles) {
    if (!range) range = Range{profile.power_w, profile.power_w};
    range->least_w = std::min(range->least_w, profile.power_w);
    range->most_w = std::max(range->most_w, profile.power_w);
  }
  return range;
}

// The two ends: between them lies every budget that makes a difference.
std::optional<Measure> missing_end(const Problem& problem, const ProfileSet& profiles) {
  const auto sizes = problem.infers() ? possible_batch_sizes(problem) : std::vector<int>{};
  if (problem.infers() && sizes.empty()) return std::nullopt;
  for (const auto& mode : {problem.grid.highest(), problem.grid.mode(0)}) {
    if (problem.trains() &&
        profiles.find(WorkloadTask::training, mode, problem.training_batch_size) == nullptr)
      return Measure{WorkloadTask::training, mode, problem.training_batch_size};
    if (problem.infers() && profiles.find(WorkloadTask::inference, mode, sizes.back()) == nullptr)
      return Measure{WorkloadTask::inference, mode, sizes.back()};
  }
  return std::nullopt;
}

}  // namespace

std::variant<Measure, NothingMore, Unadvised> next_exploration(const Problem& problem, const Adviser& adviser,
                                                               const ProfileSet& profiles) {
  if (auto end = missing_end(problem, profiles)) return *end;
  const auto range = power_range(profiles);
  if (!range) return NothingMore{};
  Problem asked = problem;
  asked.noise = {};  // nothing is answered, so that there is nothing to confirm
  asked.profiles_at_start = profiles.size();
  for (const int part : kSpreadOrder) {
    asked.power_budget_w = range->least_w + (range->most_w - range->least_w) * part / kBudgets;
    const auto advice = adviser(asked, profiles);
    if (!advice) return Unadvised{asked, profiles};
    if (const auto* measure = std::get_if<Measure>(&*advice)) return *measure;
  }
  return NothingMore{};
}

}  // namespace fulcrum::scheduler

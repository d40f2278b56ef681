#include "scheduler/demand_bound.h"

#include <algorithm>
#include <limits>

namespace fulcrum::scheduler {

namespace {

constexpr int kMostDeadlines = 10'000;

// From here on h(t) <= t: each floor() taken at its most.
double end_of_busy_stretch_ms(const std::vector<UrgentTask>& tasks, double demand) {
  if (demand > 1) return 0;
  if (demand == 1) return std::numeric_limits<double>::infinity();
  double work = 0;
  double longest = 0;
  for (const auto& task : tasks) {
    work += (1 - task.deadline_ms / task.period_ms) * task.step_ms;
    longest = std::max(longest, task.step_ms);
  }
  return (work + longest) / (1 - demand);
}

double longest_step_due_after(const std::vector<UrgentTask>& tasks, double at_ms) {
  double longest = 0;
  for (const auto& task : tasks) {
    if (task.deadline_ms > at_ms) longest = std::max(longest, task.step_ms);
  }
  return longest;
}

}  // namespace

DemandBound demand_bound(const std::vector<UrgentTask>& tasks) {
  DemandBound bound;
  std::vector<double> due_ms;
  double last_first_ms = 0;
  for (const auto& task : tasks) {
    bound.demand += task.step_ms / task.period_ms;
    const bool too_late = task.deadline_ms <= 0;
    bound.worst.push_back(too_late ? std::numeric_limits<double>::infinity() : 0);
    due_ms.push_back(task.deadline_ms);
    last_first_ms = std::max(last_first_ms, task.deadline_ms);
  }
  const double end_ms = std::max(last_first_ms, end_of_busy_stretch_ms(tasks, bound.demand));
  double work_ms = 0;
  for (int i = 0; i < kMostDeadlines && !tasks.empty(); ++i) {
    const double at_ms = *std::min_element(due_ms.begin(), due_ms.end());
    if (at_ms > end_ms) break;
    for (std::size_t j = 0; j < tasks.size(); ++j)
      work_ms += due_ms[j] == at_ms ? tasks[j].step_ms : 0;
    const double ratio = (work_ms + longest_step_due_after(tasks, at_ms)) / at_ms;
    for (std::size_t j = 0; j < tasks.size(); ++j) {
      if (due_ms[j] != at_ms) continue;
      bound.worst[j] = std::max(bound.worst[j], ratio);
      due_ms[j] += tasks[j].period_ms;
    }
  }
  return bound;
}

}  // namespace fulcrum::scheduler

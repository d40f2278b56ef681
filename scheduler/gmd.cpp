#include "scheduler/gmd.h"

#include <algorithm>

#include "scheduler/batch_served.h"
#include "scheduler/candidate.h"
#include "scheduler/gmd_walk.h"

namespace fulcrum::scheduler {

namespace {

constexpr double kLeastPowerW = 1;
constexpr double kLeastPowerInferenceAloneW = 0.2;
constexpr std::size_t kMostConcurrentTries = 25;  // modes in which both workloads were looked at

bool feasible(const Problem& problem, const Visit& visit) {
  return make_candidate(problem, visit.training, visit.inference).feasible();
}

bool any_feasible(const Problem& problem, const std::vector<Visit>& visits) {
  return std::any_of(visits.begin(), visits.end(),
                     [&problem](const Visit& v) { return feasible(problem, v); });
}

void sort_by_inference_time(const Problem& problem, std::vector<Visit>& visits) {
  std::stable_sort(visits.begin(), visits.end(), [&problem](const Visit& a, const Visit& b) {
    return problem.time_ms(*a.inference) < problem.time_ms(*b.inference);
  });
}

void search_train(const Problem& problem, ProfilePath& path) {
  gmd_walk(problem, {true, 0, kLeastPowerW, false}, path);
}

// The larger batch sizes in turn, until one is feasible.
void try_larger_batches(const Problem& problem, std::vector<Visit> visits, const std::vector<int>& batches,
                        ProfilePath& path) {
  const auto too_slow = [&problem](const Visit& v) {
    const Candidate c = make_candidate(problem, nullptr, v.inference);
    return !c.power_met || !c.latency_met;
  };
  visits.erase(std::remove_if(visits.begin(), visits.end(), too_slow), visits.end());
  sort_by_inference_time(problem, visits);
  for (auto batch = batches.begin() + 1; batch != batches.end(); ++batch) {
    for (const auto& visit : visits) {
      const Profile* profile = path.at(WorkloadTask::inference, visit.mode, *batch);
      if (path.ended() || make_candidate(problem, nullptr, profile).feasible()) return;
    }
  }
}

void search_infer(const Problem& problem, ProfilePath& path) {
  const auto batches = possible_batch_sizes(problem);
  if (batches.empty()) return;
  auto visits = gmd_walk(problem, {false, batches.front(), kLeastPowerInferenceAloneW, false}, path);
  if (path.ended() || any_feasible(problem, visits)) return;
  try_larger_batches(problem, std::move(visits), batches, path);
}

// The smaller batch sizes in turn, until one is feasible. A mode whose training alone is over the budget
// counts as a try, but its inference need not be measured for it to fail.
void try_smaller_batches(const Problem& problem, std::vector<Visit> visits, int first_batch,
                         ProfilePath& path) {
  std::size_t tries = visits.size();
  const auto falls_behind = [&problem, first_batch](const Visit& v) {
    return problem.time_ms(*v.inference) >= problem.window_ms(first_batch);
  };
  visits.erase(std::remove_if(visits.begin(), visits.end(), falls_behind), visits.end());
  sort_by_inference_time(problem, visits);
  const auto batches = possible_batch_sizes(problem);
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    if (*batch >= first_batch) continue;
    for (const auto& visit : visits) {
      if (++tries > kMostConcurrentTries) return;
      if (!problem.inside_power(visit.training->power_w)) continue;
      const Profile* inference = path.at(WorkloadTask::inference, visit.mode, *batch);
      if (path.ended() || make_candidate(problem, visit.training, inference).feasible()) return;
    }
  }
}

void search_concurrent(const Problem& problem, ProfilePath& path) {
  const int batch = batch_served(problem, problem.grid.highest(), path);
  if (batch == 0) return;
  auto visits = gmd_walk(problem, {true, batch, kLeastPowerW, true}, path);
  if (path.ended() || any_feasible(problem, visits)) return;
  try_smaller_batches(problem, std::move(visits), batch, path);
}

}  // namespace

// The middle, four extremes and fifteen rounds; with each batch size, or with both workloads and one more
// mode for each batch size.
std::size_t Gmd::most_probes(const Problem& problem) const {
  constexpr std::size_t kModes = 20;
  const std::size_t sizes = problem.inference_batch_sizes.size();
  switch (problem.kind) {
    case ProblemKind::train:
      return kModes;
    case ProblemKind::infer:
      return kModes * sizes;
    case ProblemKind::concurrent:
      break;
  }
  return 2 * kMostConcurrentTries + sizes;
}

Step Gmd::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  switch (problem.kind) {
    case ProblemKind::train:
      search_train(problem, path);
      break;
    case ProblemKind::infer:
      search_infer(problem, path);
      break;
    case ProblemKind::concurrent:
      search_concurrent(problem, path);
      break;
  }
  return path.conclude();
}

}  // namespace fulcrum::scheduler

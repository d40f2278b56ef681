#include "scheduler/confirmation.h"

#include <algorithm>

#include "scheduler/candidate.h"

namespace fulcrum::scheduler {

namespace {

constexpr int kEnoughMeasurements = 2;
constexpr int kMostMeasurements = 6;

int measurements(const Profile* profile) {
  return profile != nullptr ? profile->measurements : kMostMeasurements;
}

int fewest_measurements(const Candidate& c) {
  return std::min(measurements(c.training), measurements(c.inference));
}

}  // namespace

std::optional<Measure> next_confirmation(const Problem& problem, const ProfileSet& profiles) {
  if (!problem.noise.any()) return std::nullopt;
  std::optional<Candidate> best;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    const bool denied = !c.feasible() && fewest_measurements(c) >= kMostMeasurements;
    if (!c.hopeful || denied) return;
    if (!best || rank(problem, c) < rank(problem, *best)) best = c;
  });
  if (!best) return std::nullopt;
  const int enough = best->feasible() ? kEnoughMeasurements : kMostMeasurements;
  if (fewest_measurements(*best) >= enough) return std::nullopt;
  const auto* again =
      measurements(best->training) <= measurements(best->inference) ? best->training : best->inference;
  return Measure{again->task, again->mode, again->batch_size};
}

}  // namespace fulcrum::scheduler

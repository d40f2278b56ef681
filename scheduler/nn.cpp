#include "scheduler/nn.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/learned_grid.h"
#include "scheduler/mode_sample.h"
#include "scheduler/profile_path.h"

namespace fulcrum::scheduler {

namespace {

// The first N profiles of the ways to run in random order, each once.
std::vector<Measure> random_probes(const Problem& problem, std::size_t count, std::uint64_t seed) {
  const auto sizes = problem.infers() ? problem.inference_batch_sizes : std::vector<int>{0};
  std::vector<std::size_t> ways(problem.grid.size() * sizes.size());
  for (std::size_t i = 0; i < ways.size(); ++i)
    ways[i] = i;
  Dice(seed).shuffle(ways);
  std::vector<Measure> probes;
  std::vector<bool> trained(problem.grid.size(), false);
  for (const std::size_t way : ways) {
    if (probes.size() >= count) break;
    const std::size_t number = way / sizes.size();
    const PowerMode mode = problem.grid.mode(number);
    if (problem.trains() && !trained[number]) {
      trained[number] = true;
      probes.push_back({WorkloadTask::training, mode, problem.training_batch_size});
    }
    if (problem.infers()) probes.push_back({WorkloadTask::inference, mode, sizes[way % sizes.size()]});
  }
  if (probes.size() > count) probes.pop_back();
  return probes;
}

// By how much the time that decides is above the median; typically, for the networks learn medians.
double above_median(const Problem& problem, const std::vector<Profile>& samples) {
  std::vector<double> ratios;
  ratios.reserve(samples.size());
  for (const auto& sample : samples)
    ratios.push_back(problem.time_ms(sample) / sample.p50_ms);
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

// Adds the whole grid of a task; an error is the learner's.
Expected<void> predict(const Problem& problem, WorkloadTask task, const std::vector<Profile>& samples,
                       const Learner& learner, std::uint64_t seed, ProfileSet& into) {
  FULCRUM_TRY_ASSIGN(learned, learn_grid(problem, task, samples, learner, seed));
  const double ratio = above_median(problem, samples);
  for (std::size_t number = 0; number < problem.grid.size(); ++number) {
    for (std::size_t batch = 0; batch < learned.batch_sizes.size(); ++batch) {
      const GridPoint& point = learned.at(number, batch);
      FULCRUM_TRY(into.add({task, problem.grid.mode(number), learned.batch_sizes[batch], point.time_ms,
                            ratio * point.time_ms, point.power_w}));
    }
  }
  return {};
}

bool is_measured(const Profile& profile, const ProfileSet& profiles) {
  return profiles.find(profile.task, profile.mode, profile.batch_size) != nullptr;
}

Step best_of(const Problem& problem, const ProfileSet& predicted, const ProfileSet& measured) {
  auto outcome = choose(problem, predicted);
  if (auto* choice = std::get_if<Choice>(&outcome)) {
    const bool rests_on_profiles =
        std::all_of(choice->profiles.begin(), choice->profiles.end(),
                    [&measured](const Profile& profile) { return is_measured(profile, measured); });
    if (!rests_on_profiles) choice->profiles.clear();
    return Answer{std::move(*choice)};
  }
  auto infeasible = std::get<Infeasible>(std::move(outcome));
  infeasible.proved = false;
  infeasible.reason += " (as predicted)";
  return infeasible;
}

}  // namespace

Nn::Nn(int probes, const StrategyTools& tools)
    : probes_(static_cast<std::size_t>(probes)),
      name_(fmt::format("nn-{}", probes)),
      seed_(tools.seed),
      learner_(tools.learner) {}

Step Nn::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  std::vector<Profile> training;
  std::vector<Profile> inference;
  for (const auto& probe : random_probes(problem, probes_, seed_)) {
    const Profile* profile = path.at(probe.task, probe.mode, probe.batch_size);
    if (profile == nullptr) break;
    (probe.task == WorkloadTask::training ? training : inference).push_back(*profile);
  }
  const bool nothing_to_learn_from =
      (problem.trains() && training.empty()) || (problem.infers() && inference.empty());
  if (path.missing() || nothing_to_learn_from) return path.conclude();
  ProfileSet predicted;
  if (problem.trains() && !predict(problem, WorkloadTask::training, training, *learner_, seed_, predicted))
    return path.conclude();
  if (problem.infers() && !predict(problem, WorkloadTask::inference, inference, *learner_, seed_, predicted))
    return path.conclude();
  predicted.take_over(profiles);
  return best_of(problem, predicted, profiles);
}

}  // namespace fulcrum::scheduler

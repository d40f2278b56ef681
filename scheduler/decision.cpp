#include "scheduler/decision.h"

#include <set>
#include <tuple>

#include "scheduler/candidate.h"
#include "scheduler/confirmation.h"

namespace fulcrum::scheduler {

namespace {

using Outcome = std::variant<Choice, Infeasible>;
using Search = std::variant<Measure, Unadvised, Outcome>;
// What a problem comes to: a profile that is missing, advice that is missing, or an outcome.
using Ask = std::function<Search(const Problem&)>;

bool is_allowed(const Problem& problem, const Measure& measure, const ProfileSet& profiles,
                const SearchLimits& limits) {
  if (!limits.most_modes) return true;
  bool any_way_to_run = false;
  for_each_candidate(problem, profiles, [&](const Candidate&) { any_way_to_run = true; });
  if (!any_way_to_run) return true;
  std::set<PowerMode> modes;
  for (const auto& [key, profile] : profiles)
    modes.insert(profile.mode);
  return modes.count(measure.mode) > 0 || static_cast<int>(modes.size()) < *limits.most_modes;
}

// Of the way to run that is chosen.
std::optional<Measure> missing_profile(const Problem& problem, const Choice& choice,
                                       const ProfileSet& profiles) {
  std::vector<Measure> needed;
  if (problem.trains()) needed.push_back({WorkloadTask::training, choice.mode, problem.training_batch_size});
  if (problem.infers()) needed.push_back({WorkloadTask::inference, choice.mode, choice.batch_size});
  for (const auto& measure : needed) {
    if (profiles.find(measure.task, measure.mode, measure.batch_size) == nullptr) return measure;
  }
  return std::nullopt;
}

Problem inference_alone(Problem problem) {
  problem.kind = ProblemKind::infer;
  return problem;
}

Settlement::Instead instead_of(const Candidate& c, bool keeps_budgets) {
  return {c.mode(), c.batch_size(), c.power_w, keeps_budgets};
}

std::optional<Settlement::Instead> least_power(const Problem& problem, const ProfileSet& profiles) {
  std::optional<Candidate> least;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    if (c.feasible() && (!least || c.power_w < least->power_w)) least = c;
  });
  if (!least) return std::nullopt;
  return instead_of(*least, true);
}

// With no feasible way to run: the one that does least harm.
std::optional<Settlement::Instead> least_harm(const Problem& problem, const ProfileSet& profiles) {
  // Inside the power budget first, and there whoever keeps up and answers soonest; outside, who draws least.
  using Harm = std::tuple<bool, bool, double, double>;
  std::optional<Harm> least;
  std::optional<Settlement::Instead> instead;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    const double first = c.power_met ? c.latency_ms : c.power_w;
    const double second = c.power_met ? c.power_w : c.latency_ms;
    const Harm harm{!c.power_met, c.power_met && !c.stable, first, second};
    if (least && !(harm < *least)) return;
    least = harm;
    instead = instead_of(c, false);
  });
  return instead;
}

Decision come_to_terms(const Problem& problem, const ProfileSet& profiles, const Ask& ask) {
  auto search = ask(problem);
  if (auto* measure = std::get_if<Measure>(&search)) return *measure;
  if (auto* unadvised = std::get_if<Unadvised>(&search)) return std::move(*unadvised);
  auto& outcome = std::get<Outcome>(search);
  Settlement settlement;
  settlement.problem = problem;
  if (auto* choice = std::get_if<Choice>(&outcome)) {
    settlement.choice = std::move(*choice);
    return settlement;
  }
  settlement.infeasible = std::get<Infeasible>(std::move(outcome));
  if (problem.kind == ProblemKind::train) {
    settlement.instead = least_harm(problem, profiles);
    if (settlement.instead) settlement.instead->batch_size = 0;
    return settlement;
  }
  const Problem alone = inference_alone(problem);
  settlement.instead = least_power(alone, profiles);
  if (settlement.instead) return settlement;
  if (problem.kind == ProblemKind::concurrent) {
    auto inference = ask(alone);
    if (auto* measure = std::get_if<Measure>(&inference)) return *measure;
    if (auto* unadvised = std::get_if<Unadvised>(&inference)) return std::move(*unadvised);
  }
  settlement.instead = least_harm(alone, profiles);
  return settlement;
}

}  // namespace

std::optional<PowerMode> Settlement::mode() const {
  if (choice) return choice->mode;
  if (instead) return instead->mode;
  return std::nullopt;
}

Advice advice_of(const Strategy& strategy, const Problem& problem, const ProfileSet& profiles) {
  const auto step = strategy.next(problem, profiles);
  if (const auto* measure = std::get_if<Measure>(&step)) return *measure;
  if (const auto* answer = std::get_if<Answer>(&step)) {
    if (auto missing = missing_profile(problem, answer->choice, profiles)) return *missing;
  }
  return NothingMore{};
}

Adviser adviser(const Strategy& strategy) {
  return [&strategy](const Problem& problem, const ProfileSet& profiles) {
    return std::optional<Advice>(advice_of(strategy, problem, profiles));
  };
}

Decision decide(const Problem& problem, const Adviser& adviser, const ProfileSet& profiles,
                const ProfileSet& stand_ins, const SearchLimits& limits) {
  ProfileSet all = stand_ins;
  all.take_over(profiles);
  return come_to_terms(problem, profiles, [&](const Problem& asked) -> Search {
    const auto advice = adviser(asked, all);
    if (!advice) return Unadvised{asked, all};
    if (const auto* measure = std::get_if<Measure>(&*advice)) {
      if (is_allowed(asked, *measure, profiles, limits)) return *measure;
      if (const auto again = next_confirmation(asked, profiles)) return *again;
    }
    return choose(asked, profiles);
  });
}

Settlement settle(const Problem& problem, const ProfileSet& profiles, const std::optional<Running>& running) {
  auto settled = come_to_terms(
      problem, profiles, [&](const Problem& asked) -> Search { return choose(asked, profiles, running); });
  return std::get<Settlement>(std::move(settled));
}

}  // namespace fulcrum::scheduler

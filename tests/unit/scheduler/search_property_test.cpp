// What must hold on any board: generated tables, whose times and powers follow no formula at all, and
// problems whose budgets lie among their values.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "any_world.h"

namespace fulcrum::scheduler {
namespace {

ProfileSet any_profiles(const World& world) {
  ProfileSet profiles;
  const int count = *rc::gen::inRange(0, 60);
  for (int i = 0; i < count; ++i) {
    const auto number = *rc::gen::inRange<std::size_t>(0, world.problem.grid.size());
    const PowerMode mode = world.problem.grid.mode(number);
    const bool training = *rc::gen::arbitrary<bool>();
    const Measure probe =
        training ? Measure{WorkloadTask::training, mode, 16}
                 : Measure{WorkloadTask::inference, mode,
                           *rc::gen::elementOf(std::vector<int>(std::begin(kBatches), std::end(kBatches)))};
    RC_ASSERT(profiles.add(world.board.measure(probe)).has_value());
  }
  return profiles;
}

RC_GTEST_PROP(SearchProperty, WithEveryModeProfiledTheChoiceIsTheOptimum, ()) {
  const World world = any_world();
  const auto run = search("exhaustive", world.problem, world.board);
  const auto best = brute_force(world);
  RC_TAG(to_string(world.problem.kind), best.has_value());
  if (!best) {
    RC_ASSERT(run.infeasible() != nullptr);
    RC_ASSERT(run.infeasible()->proved);
    return;
  }
  RC_ASSERT(run.choice() != nullptr);
  RC_ASSERT(keeps_budgets(world, *run.choice()));
  RC_ASSERT(std::abs(value_of(world.problem, *run.choice()) - *best) < 1e-9);
}

RC_GTEST_PROP(SearchProperty, NearestBudgetsMakeTheProblemFeasible, ()) {
  World world = any_world();
  const auto run = search("exhaustive", world.problem, world.board);
  if (run.infeasible() == nullptr) return;
  const Infeasible answer = *run.infeasible();
  const Problem asked = world.problem;
  if (answer.power_budget_w) {
    world.problem.power_budget_w = answer.power_budget_w->value;
    RC_ASSERT(brute_force(world).has_value());
    world.problem = asked;
  }
  if (answer.latency_budget_ms) {
    world.problem.latency_budget_ms = answer.latency_budget_ms->value;
    RC_ASSERT(brute_force(world).has_value());
  }
}

RC_GTEST_PROP(SearchProperty, TheBudgetThatBindsBuysWhatItRulesOut, ()) {
  World world = any_world();
  const auto run = search("exhaustive", world.problem, world.board);
  if (run.choice() == nullptr || !run.choice()->binding) return;
  const Binding binding = *run.choice()->binding;
  const double before = value_of(world.problem, *run.choice());
  if (binding.constraint == Constraint::arrival_rate) return;  // the rate is part of the latency as well
  Problem& problem = world.problem;
  if (binding.constraint == Constraint::power) problem.power_budget_w = binding.needed;
  if (binding.constraint == Constraint::latency) problem.latency_budget_ms = binding.needed;
  RC_ASSERT(brute_force(world).value() > before);
}

RC_GTEST_PROP(SearchProperty, GmdAnswersOnlyWhatKeepsTheBudgets, ()) {
  const World world = any_world();
  const auto run = search("gmd", world.problem, world.board);
  RC_ASSERT(run.choice() != nullptr || run.infeasible() != nullptr);
  if (run.choice() != nullptr) RC_ASSERT(keeps_budgets(world, *run.choice()));
  if (run.infeasible() != nullptr && run.infeasible()->proved) RC_ASSERT(!brute_force(world).has_value());
}

RC_GTEST_PROP(SearchProperty, GmdStaysInsideItsLimits, ()) {
  World world = any_world();
  const auto whole = search("gmd", world.problem, world.board);
  const std::size_t modes_of_a_walk = 1 + 4 + 15;
  if (world.problem.kind == ProblemKind::train) RC_ASSERT(whole.probes.size() <= modes_of_a_walk);
  if (world.problem.kind == ProblemKind::concurrent)
    RC_ASSERT(whole.probes.size() <= std::size_t{25} * 2 + std::size(kBatches));
  for (std::size_t i = 0; i < whole.probes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      RC_ASSERT(!same(whole.probes[i], whole.probes[j]));
  }
  world.problem.max_profiles = *rc::gen::inRange(1, 20);
  const auto cut = search("gmd", world.problem, world.board);
  RC_ASSERT(cut.probes.size() <= static_cast<std::size_t>(*world.problem.max_profiles));
  RC_ASSERT(std::equal(cut.probes.begin(), cut.probes.end(), whole.probes.begin(), same));
}

// A crash after any probe: what is stored is all there is, and the search goes on where it was.
RC_GTEST_PROP(SearchProperty, GmdGoesOnFromStoredProfiles, ()) {
  const World world = any_world();
  const auto whole = search("gmd", world.problem, world.board);
  const auto stored = *rc::gen::inRange<std::size_t>(0, whole.probes.size() + 1);
  ProfileSet known;
  for (std::size_t i = stored; i-- > 0;)
    RC_ASSERT(known.add(world.board.measure(whole.probes[i])).has_value());
  const auto rest = search("gmd", world.problem, world.board, known);
  RC_ASSERT(rest.probes.size() == whole.probes.size() - stored);
  RC_ASSERT(std::equal(rest.probes.begin(), rest.probes.end(),
                       whole.probes.begin() + static_cast<std::ptrdiff_t>(stored), same));
  RC_ASSERT(rest.end.index() == whole.end.index());
  if (whole.choice() != nullptr) RC_ASSERT(rest.choice()->to_json() == whole.choice()->to_json());
}

// Profiles from elsewhere save probes, never change the way, and never make the answer worse.
RC_GTEST_PROP(SearchProperty, GmdKeepsItsWayWhateverElseIsKnown, ()) {
  const World world = any_world();
  const auto alone = search("gmd", world.problem, world.board);
  const ProfileSet known = any_profiles(world);
  const auto helped = search("gmd", world.problem, world.board, known);
  std::vector<Measure> expected;
  for (const auto& probe : alone.probes) {
    if (known.find(probe.task, probe.mode, probe.batch_size) == nullptr) expected.push_back(probe);
  }
  RC_ASSERT(helped.probes.size() == expected.size());
  RC_ASSERT(std::equal(helped.probes.begin(), helped.probes.end(), expected.begin(), same));
  if (alone.choice() != nullptr) {
    RC_ASSERT(helped.choice() != nullptr);
    RC_ASSERT(value_of(world.problem, *helped.choice()) >= value_of(world.problem, *alone.choice()));
  }
  if (helped.choice() != nullptr) RC_ASSERT(keeps_budgets(world, *helped.choice()));
}

}  // namespace
}  // namespace fulcrum::scheduler

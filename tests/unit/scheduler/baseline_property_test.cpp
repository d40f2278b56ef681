// What must hold for every baseline on any board.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "any_world.h"

namespace fulcrum::scheduler {
namespace {

struct Baseline {
  std::string name;
  std::size_t most_probes = 0;
};

// Batch sizes tried in one mode, and the training beside them.
constexpr std::size_t kMostInAMode = std::size(kBatches) + 1;

Baseline any_baseline(std::size_t presets) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  return *rc::gen::elementOf(std::vector<Baseline>{{"rnd-" + std::to_string(n), n},
                                                   {"bs", std::size(kBatches) + 2 * (1 + 2 * kDimensions)},
                                                   {"maxn", kMostInAMode},
                                                   {"preset", presets * kMostInAMode}});
}

std::vector<PowerMode> any_presets() {
  std::vector<PowerMode> presets(*rc::gen::inRange<std::size_t>(1, 5));
  const auto level = [] { return *rc::gen::inRange(1, 8); };
  for (auto& preset : presets)
    preset = {level(), level(), level(), level()};
  return presets;
}

RC_GTEST_PROP(BaselineProperty, AnswersOnlyWhatIsProfiledAndKeepsTheBudgets, ()) {
  const World world = any_world();
  const auto tools = tools_of(*rc::gen::arbitrary<std::uint64_t>(), any_presets());
  const auto run = search(any_baseline(tools.presets.size()).name, world.problem, world.board, {}, tools);
  RC_ASSERT(run.choice() != nullptr || run.infeasible() != nullptr);
  if (run.infeasible() != nullptr && run.infeasible()->proved) RC_ASSERT(!brute_force(world).has_value());
  if (run.choice() == nullptr) return;
  const Choice& choice = *run.choice();
  RC_ASSERT(keeps_budgets(world, choice));
  if (world.problem.trains())
    RC_ASSERT(run.profiles.find(WorkloadTask::training, choice.mode, 16) != nullptr);
  if (world.problem.infers())
    RC_ASSERT(run.profiles.find(WorkloadTask::inference, choice.mode, choice.batch_size) != nullptr);
}

RC_GTEST_PROP(BaselineProperty, StaysInsideItsLimitsAndAsksNothingTwice, ()) {
  World world = any_world();
  const auto tools = tools_of(*rc::gen::arbitrary<std::uint64_t>(), any_presets());
  const Baseline baseline = any_baseline(tools.presets.size());
  const auto whole = search(baseline.name, world.problem, world.board, {}, tools);
  RC_ASSERT(whole.probes.size() <= baseline.most_probes);
  for (std::size_t i = 0; i < whole.probes.size(); ++i) {
    RC_ASSERT(world.problem.grid.contains(whole.probes[i].mode));
    for (std::size_t j = 0; j < i; ++j)
      RC_ASSERT(!same(whole.probes[i], whole.probes[j]));
  }
  world.problem.max_profiles = *rc::gen::inRange(1, 20);
  const auto cut = search(baseline.name, world.problem, world.board, {}, tools);
  RC_ASSERT(cut.probes.size() <= static_cast<std::size_t>(*world.problem.max_profiles));
  RC_ASSERT(std::equal(cut.probes.begin(), cut.probes.end(), whole.probes.begin(), same));
}

RC_GTEST_PROP(BaselineProperty, MeasuresNothingForFurtherBudgetsWhereItSaysSo, ()) {
  World world = any_world();
  const auto tools = tools_of(*rc::gen::arbitrary<std::uint64_t>(), any_presets());
  const auto baseline = any_baseline(tools.presets.size());
  if (!make_strategy(baseline.name, tools).value()->serves_all_budgets()) return;
  const auto first = search(baseline.name, world.problem, world.board, {}, tools);
  world.problem.power_budget_w = *rc::gen::inRange(5, 45);
  world.problem.latency_budget_ms = *rc::gen::inRange(5, 400);
  world.problem.arrival_rate_hz = *rc::gen::inRange(5, 200);
  RC_ASSERT(search(baseline.name, world.problem, world.board, first.profiles, tools).probes.empty());
}

}  // namespace
}  // namespace fulcrum::scheduler

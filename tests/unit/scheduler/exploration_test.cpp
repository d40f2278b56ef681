#include "scheduler/exploration.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "any_world.h"

namespace fulcrum::scheduler {
namespace {

struct Explored {
  ProfileSet profiles;
  std::vector<Measure> probes;
};

Explored explore(const World& world, std::size_t most) {
  Explored explored;
  while (explored.probes.size() < most) {
    const auto strategy = make_strategy("rgs").value();
    const auto next = next_exploration(world.problem, adviser(*strategy), explored.profiles);
    const auto* probe = std::get_if<Measure>(&next);
    if (probe == nullptr || !explored.profiles.add(world.board.measure(*probe))) break;
    explored.probes.push_back(*probe);
  }
  return explored;
}

RC_GTEST_PROP(Exploration, EndsAndAsksForNothingTwice, ()) {
  World world = any_world();
  const auto all = explore(world, kFarTooManyProbes);
  RC_ASSERT(all.probes.size() < kFarTooManyProbes);
  for (std::size_t i = 0; i < all.probes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      RC_ASSERT(!same(all.probes[i], all.probes[j]));
  }
}

RC_GTEST_PROP(Exploration, DoesNotDependOnTheBudget, ()) {
  World world = any_world();
  const auto before = explore(world, 12);
  world.problem.power_budget_w = *rc::gen::inRange(5, 45);
  const auto after = explore(world, 12);
  RC_ASSERT(
      std::equal(before.probes.begin(), before.probes.end(), after.probes.begin(), after.probes.end(), same));
}

// Faster with each clock, and drawing more: as smooth as a board can be.
MadeUpBoard smooth_board() {
  return {[](WorkloadTask, const PowerMode& m, int) {
    const double cpu = static_cast<double>(m.cpu_khz) / 1e6;
    const double gpu = static_cast<double>(m.gpu_hz) / 1e9;
    const double emc = static_cast<double>(m.emc_hz) / 1e9;
    const double time = 5 + 60 / cpu / m.cpu_cores + 40 / gpu + 60 / emc;
    return MadeUpBoard::Step{time, 12 + .6 * emc + .4 * cpu * cpu + 16 * gpu * gpu};
  }};
}

TEST(Exploration, ServesBudgetsThatComeLater) {
  World world;
  world.board = smooth_board();
  world.problem.grid =
      grid_of({4, 8, 12}, {422400, 1036800, 1651200, 2201600}, {114750000, 522750000, 930750000, 1300500000},
              {665600000, 2133000000, 3199000000});
  world.problem.decide_with = TimeStatistic::p50;
  const auto explored = explore(world, 25);
  for (double budget = 16; budget <= 44; budget += 2) {
    world.problem.power_budget_w = budget;
    const auto best = brute_force(world);
    const auto found = choose(world.problem, explored.profiles);
    ASSERT_TRUE(best.has_value());
    ASSERT_TRUE(std::holds_alternative<Choice>(found)) << budget;
    EXPECT_GT(value_of(world.problem, std::get<Choice>(found)), .8 * *best) << budget;
  }
}

}  // namespace
}  // namespace fulcrum::scheduler

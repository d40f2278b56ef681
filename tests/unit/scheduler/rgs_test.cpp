// RGS on boards that follow no formula at all, and on boards like those that it is made for.

#include "scheduler/rgs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "any_world.h"
#include "scheduler/roofline.h"

namespace fulcrum::scheduler {
namespace {

Policy any_policy() {
  return *rc::gen::element(Policy::managed, Policy::slack);
}

RC_GTEST_PROP(Rgs, AnswersWhatItHasMeasuredAndKeepsTheBudgets, ()) {
  World world = any_world();
  world.problem.policy = any_policy();
  const auto run = search("rgs", world.problem, world.board);
  RC_ASSERT(run.choice() != nullptr || run.infeasible() != nullptr);
  if (run.choice() == nullptr) return;
  const auto& choice = *run.choice();
  RC_ASSERT(keeps_budgets(world, choice));
  if (world.problem.trains())
    RC_ASSERT(run.profiles.find(WorkloadTask::training, choice.mode, 16) != nullptr);
  if (world.problem.infers())
    RC_ASSERT(run.profiles.find(WorkloadTask::inference, choice.mode, choice.batch_size) != nullptr);
}

RC_GTEST_PROP(Rgs, StaysInsideItsLimitAndNeverAsksTwice, ()) {
  World world = any_world();
  world.problem.policy = any_policy();
  const auto whole = search("rgs", world.problem, world.board);
  RC_ASSERT(whole.probes.size() <= make_strategy("rgs").value()->most_probes(world.problem));
  for (std::size_t i = 0; i < whole.probes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      RC_ASSERT(!same(whole.probes[i], whole.probes[j]));
  }
  world.problem.max_profiles = *rc::gen::inRange(1, 12);
  const auto cut = search("rgs", world.problem, world.board);
  RC_ASSERT(cut.probes.size() <= static_cast<std::size_t>(*world.problem.max_profiles));
}

RC_GTEST_PROP(Rgs, GoesOnFromStoredProfiles, ()) {
  const World world = any_world();
  const auto whole = search("rgs", world.problem, world.board);
  const auto stored = *rc::gen::inRange<std::size_t>(0, whole.probes.size() + 1);
  ProfileSet known;
  for (std::size_t i = stored; i-- > 0;)
    RC_ASSERT(known.add(world.board.measure(whole.probes[i])).has_value());
  const auto rest = search("rgs", world.problem, world.board, known);
  RC_ASSERT(rest.probes.size() == whole.probes.size() - stored);
  RC_ASSERT(std::equal(rest.probes.begin(), rest.probes.end(),
                       whole.probes.begin() + static_cast<std::ptrdiff_t>(stored), same));
}

// What it remembers makes it faster, and changes nothing.
RC_GTEST_PROP(Rgs, ASecondProblemIsSolvedAsByANewSearch, ()) {
  const World first = any_world();
  World second = first;
  second.problem.power_budget_w = *rc::gen::inRange(5, 45);
  const auto strategy = make_strategy("rgs").value();
  const World* const worlds[] = {&first, &second};
  for (const World* world : worlds) {
    ProfileSet known;
    const auto alone = search("rgs", world->problem, world->board);
    for (const auto& probe : alone.probes) {
      const auto step = strategy->next(world->problem, known);
      RC_ASSERT(std::holds_alternative<Measure>(step));
      RC_ASSERT(same(std::get<Measure>(step), probe));
      RC_ASSERT(known.add(world->board.measure(probe)).has_value());
    }
  }
}

RC_GTEST_PROP(Rgs, ALargerBudgetGivesNoLessFromTheSameProfiles, ()) {
  World world = any_world();
  if (!world.problem.power_budget_w) return;
  auto run = search("rgs", world.problem, world.board);
  if (run.choice() == nullptr) return;
  const double before = value_of(world.problem, *run.choice());
  *world.problem.power_budget_w += *rc::gen::inRange(1, 20);
  world.problem.profiles_at_start = run.profiles.size();
  run = search("rgs", world.problem, world.board, run.profiles);
  RC_ASSERT(run.choice() != nullptr);
  RC_ASSERT(value_of(world.problem, *run.choice()) >= before - 1e-9);
}

// Workloads drawn from the prior, without a residual: nearly the optimum, in a handful of probes.
MadeUpBoard board_of_the_prior(int seed) {
  std::map<WorkloadTask, std::pair<Eigen::VectorXd, Eigen::VectorXd>> drawn;
  int call = 0;
  const auto draw = [&](const ParameterPrior& prior) {
    Eigen::VectorXd theta = prior.mean;
    for (Eigen::Index i = 0; i < theta.size(); ++i)
      theta[i] += std::sqrt(prior.covariance(i, i)) *
                  (scatter(static_cast<std::uint64_t>(seed), {++call}) - 9.5) / 12;
    return theta;
  };
  for (const auto task : {WorkloadTask::training, WorkloadTask::inference}) {
    const auto& prior = SearchPriors::of_agx_orin().of(task);
    auto time = draw(prior.time.parameters);
    drawn[task] = {time, draw(prior.power.parameters)};
  }
  return {[drawn](WorkloadTask task, const PowerMode& m, int batch) {
    const auto points = make_points({m}, {task == WorkloadTask::training ? 1 : batch});
    const auto& [time, power] = drawn.at(task);
    const auto share = roofline::gpu_share(time, points);
    return MadeUpBoard::Step{std::exp(roofline::time(time, points).log[0]),
                             std::exp(roofline::power(power, points, share).log[0])};
  }};
}

TEST(Rgs, NearlyTheOptimumWhereTheWorldIsARoofline) {
  World world;
  world.problem.grid = grid_of({4, 8, 12}, {422400, 1036800, 1651200, 2201600},
                               {318750000, 726750000, 1300500000}, {665600000, 2133000000, 3199000000});
  world.problem.power_budget_w = 28;
  double lost = 0;
  std::size_t probes = 0;
  constexpr int kWorlds = 20;
  for (int seed = 0; seed < kWorlds; ++seed) {
    world.board = board_of_the_prior(seed);
    const auto best = brute_force(world);
    if (!best) continue;
    const auto run = search("rgs", world.problem, world.board);
    ASSERT_NE(run.choice(), nullptr) << seed;
    lost += 1 - value_of(world.problem, *run.choice()) / *best;
    probes += run.probes.size();
  }
  EXPECT_LT(lost / kWorlds, .03);
  EXPECT_LT(probes, 9U * kWorlds);
}

}  // namespace
}  // namespace fulcrum::scheduler

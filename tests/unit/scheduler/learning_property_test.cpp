// What must hold of the strategies that learn, on any board: times and powers that follow no formula.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cheap_learner.h"
#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

struct World {
  Problem problem;
  MadeUpBoard board;
};

std::vector<std::int64_t> any_levels() {
  return levels_up_to(*rc::gen::inRange<std::int64_t>(1, 4));
}

World any_world() {
  World world;
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  world.board = {[seed](WorkloadTask task, const PowerMode& m, int batch) {
    const auto level = static_cast<double>(m.cpu_cores + m.cpu_khz + m.gpu_hz + m.emc_hz);
    const double odd = std::abs(std::sin(static_cast<double>(seed) + 7 * level + 3 * batch));
    const double work = task == WorkloadTask::training ? 60 : 10 + batch;
    return MadeUpBoard::Step{work * (1 + odd) / level, 5 + level * (1 + odd)};
  }};
  Problem& problem = world.problem;
  problem.kind = *rc::gen::element(ProblemKind::train, ProblemKind::infer, ProblemKind::concurrent);
  auto cores = any_levels(), cpu = any_levels(), gpu = any_levels(), emc = any_levels();
  problem.grid = grid_of(std::move(cores), std::move(cpu), std::move(gpu), std::move(emc));
  problem.power_budget_w = *rc::gen::inRange(5, 45);
  problem.latency_budget_ms = *rc::gen::inRange(5, 400);
  problem.arrival_rate_hz = *rc::gen::inRange(5, 200);
  problem.inference_batch_sizes = {1, 4, 16};
  return world;
}

SearchRun learn(const std::string& name, const World& world, ProfileSet known = {}) {
  SearchRun run;
  run.profiles = std::move(known);
  while (run.probes.size() < kFarTooManyProbes) {
    // A new strategy every time: what it remembers must not matter.
    run.end = make_strategy(name, cheap_tools()).value()->next(world.problem, run.profiles);
    const auto* probe = std::get_if<Measure>(&run.end);
    if (probe == nullptr) break;
    RC_ASSERT(run.profiles.find(probe->task, probe->mode, probe->batch_size) == nullptr);
    RC_ASSERT(run.profiles.add(world.board.measure(*probe)).has_value());
    run.probes.push_back(*probe);
  }
  return run;
}

bool same(const Measure& a, const Measure& b) {
  return a.task == b.task && a.mode == b.mode && a.batch_size == b.batch_size;
}

std::string any_als() {
  return "als-" + std::to_string(*rc::gen::inRange(1, 40));
}

RC_GTEST_PROP(LearningProperty, AlsAnswersOnlyWhatIsProfiled, ()) {
  const World world = any_world();
  const auto run = learn(any_als(), world);
  RC_ASSERT(run.choice() != nullptr || run.infeasible() != nullptr);
  if (run.choice() == nullptr) return;
  const auto best = choose(world.problem, run.profiles);
  RC_ASSERT(std::get<Choice>(best).to_json() == run.choice()->to_json());
  for (const auto& profile : run.choice()->profiles)
    RC_ASSERT(run.profiles.find(profile.task, profile.mode, profile.batch_size) != nullptr);
}

RC_GTEST_PROP(LearningProperty, AlsAsksForNoMoreProbesThanItsName, ()) {
  const World world = any_world();
  const int most = *rc::gen::inRange(1, 40);
  const auto run = learn("als-" + std::to_string(most), world);
  RC_ASSERT(run.probes.size() <= static_cast<std::size_t>(most));
}

// A crash after any probe: what is stored is all there is, and the search goes on where it was.
RC_GTEST_PROP(LearningProperty, AlsGoesOnFromStoredProfiles, ()) {
  const World world = any_world();
  const auto name = any_als();
  const auto whole = learn(name, world);
  const auto stored = *rc::gen::inRange<std::size_t>(0, whole.probes.size() + 1);
  ProfileSet known;
  for (std::size_t i = 0; i < stored; ++i)
    RC_ASSERT(known.add(world.board.measure(whole.probes[i])).has_value());
  const auto rest = learn(name, world, known);
  RC_ASSERT(rest.probes.size() == whole.probes.size() - stored);
  RC_ASSERT(std::equal(rest.probes.begin(), rest.probes.end(),
                       whole.probes.begin() + static_cast<std::ptrdiff_t>(stored), same));
}

// One object that remembers its rounds asks for the same as a new one at every step.
RC_GTEST_PROP(LearningProperty, AlsAsksTheSameWhetherItRemembersOrNot, ()) {
  const World world = any_world();
  const auto name = any_als();
  const auto forgetful = learn(name, world);
  const auto strategy = make_strategy(name, cheap_tools()).value();
  ProfileSet profiles;
  for (const auto& probe : forgetful.probes) {
    const auto step = strategy->next(world.problem, profiles);
    RC_ASSERT(std::holds_alternative<Measure>(step));
    RC_ASSERT(same(std::get<Measure>(step), probe));
    RC_ASSERT(profiles.add(world.board.measure(probe)).has_value());
  }
  RC_ASSERT(strategy->next(world.problem, profiles).index() == forgetful.end.index());
}

RC_GTEST_PROP(LearningProperty, NoStrategyThatLearnsLooksAtMoreThanTheProblemAllows, ()) {
  World world = any_world();
  world.problem.max_profiles = *rc::gen::inRange(1, 20);
  const auto run = learn(*rc::gen::element<std::string>("als", "nn-30"), world);
  RC_ASSERT(run.probes.size() <= static_cast<std::size_t>(*world.problem.max_profiles));
}

RC_GTEST_PROP(LearningProperty, NnEndsWithAnAnswerOrAnInfeasibility, ()) {
  const World world = any_world();
  const int most = *rc::gen::inRange(1, 40);
  const auto run = learn("nn-" + std::to_string(most), world);
  RC_ASSERT(run.choice() != nullptr || run.infeasible() != nullptr);
  RC_ASSERT(run.probes.size() <= static_cast<std::size_t>(most));
}

}  // namespace
}  // namespace fulcrum::scheduler

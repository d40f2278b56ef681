// What must hold on any board: generated tables, whose times and powers follow no formula at all, and
// problems whose budgets lie among their values.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "made_up_board.h"

namespace fulcrum::scheduler {
namespace {

constexpr int kBatches[] = {1, 4, 16};

struct World {
  Problem problem;
  MadeUpBoard board;
};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Any number of 0 ... 19 for a seed and the things it stands for.
int scatter(std::uint64_t seed, std::initializer_list<std::int64_t> of) {
  for (const auto value : of)
    seed = mixed(seed + 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(value));
  return static_cast<int>(seed % 20);
}

// Faster modes tend to draw more. Few distinct values, so that ties are common.
MadeUpBoard any_board(std::uint64_t seed) {
  return {[seed](WorkloadTask task, const PowerMode& m, int batch) {
    const auto t = static_cast<std::int64_t>(task);
    const auto level = static_cast<double>(m.cpu_cores + m.cpu_khz + m.gpu_hz + m.emc_hz);
    const double time = (20.0 + scatter(seed, {1, t, m.cpu_cores, m.cpu_khz, m.gpu_hz, m.emc_hz, batch})) *
                        (1 + batch) / level;
    const double power = 5 + level + scatter(seed, {2, t, m.cpu_cores, m.cpu_khz, m.gpu_hz, m.emc_hz, batch});
    return MadeUpBoard::Step{std::ceil(time), power};
  }};
}

std::vector<std::int64_t> any_levels() {
  return levels_up_to(*rc::gen::inRange<std::int64_t>(1, 5));
}

World any_world() {
  World world;
  world.board = any_board(*rc::gen::arbitrary<std::uint64_t>());
  Problem& problem = world.problem;
  problem.kind = *rc::gen::element(ProblemKind::train, ProblemKind::infer, ProblemKind::concurrent);
  auto cores = any_levels(), cpu = any_levels(), gpu = any_levels(), emc = any_levels();
  problem.grid = grid_of(std::move(cores), std::move(cpu), std::move(gpu), std::move(emc));
  if (*rc::gen::inRange(0, 10) > 0) problem.power_budget_w = *rc::gen::inRange(5, 45);
  problem.latency_budget_ms = *rc::gen::inRange(5, 400);
  problem.arrival_rate_hz = *rc::gen::inRange(5, 200);
  problem.inference_batch_sizes.assign(std::begin(kBatches), std::end(kBatches));
  return world;
}

// The best value of the objective, found without anything of the library but the grid: minibatches of
// training per second, or minus the latency.
std::optional<double> brute_force(const World& world) {
  const Problem& p = world.problem;
  std::optional<double> best;
  const auto offer = [&best](double value) {
    if (!best || value > *best) best = value;
  };
  for (const auto cores : p.grid.levels(Dimension::cpu_cores)) {
    for (const auto cpu : p.grid.levels(Dimension::cpu_khz)) {
      for (const auto gpu : p.grid.levels(Dimension::gpu_hz)) {
        for (const auto emc : p.grid.levels(Dimension::emc_hz)) {
          const PowerMode mode{static_cast<int>(cores), cpu, gpu, emc};
          const auto training = world.board.step(WorkloadTask::training, mode, 16);
          if (p.kind == ProblemKind::train) {
            if (!p.power_budget_w || training.power_w <= *p.power_budget_w) offer(1000 / training.time_ms);
            continue;
          }
          for (const int b : kBatches) {
            const auto inference = world.board.step(WorkloadTask::inference, mode, b);
            const double w = 1000.0 * b / p.arrival_rate_hz;
            const double power = p.kind == ProblemKind::infer ? inference.power_w
                                                              : std::max(inference.power_w, training.power_w);
            if (p.power_budget_w && power > *p.power_budget_w) continue;
            if (w + inference.time_ms > p.latency_budget_ms || inference.time_ms > w) continue;
            if (p.kind == ProblemKind::infer) {
              offer(-(w + inference.time_ms));
              continue;
            }
            int tau = 0;
            while ((tau + 1) * training.time_ms <= w - inference.time_ms + 1e-9)
              ++tau;
            offer(tau * p.arrival_rate_hz / b);
          }
        }
      }
    }
  }
  return best;
}

double value_of(const Problem& problem, const Choice& choice) {
  return problem.kind == ProblemKind::infer ? -choice.latency_ms : choice.train_throughput_hz;
}

bool keeps_budgets(const World& world, const Choice& choice) {
  const Problem& p = world.problem;
  double power = 0;
  if (p.trains()) power = world.board.step(WorkloadTask::training, choice.mode, 16).power_w;
  if (p.infers()) {
    const auto inference = world.board.step(WorkloadTask::inference, choice.mode, choice.batch_size);
    const double w = 1000.0 * choice.batch_size / p.arrival_rate_hz;
    power = std::max(power, inference.power_w);
    if (w + inference.time_ms > p.latency_budget_ms || inference.time_ms > w) return false;
  }
  return !p.power_budget_w || power <= *p.power_budget_w;
}

bool same(const Measure& a, const Measure& b) {
  return a.task == b.task && a.mode == b.mode && a.batch_size == b.batch_size;
}

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
    RC_ASSERT(whole.probes.size() <= 25 * 2 + std::size(kBatches));
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

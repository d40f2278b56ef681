#pragma once
// Generated boards, whose times and powers follow no formula at all, and problems whose budgets lie among
// their values.

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "made_up_board.h"

namespace fulcrum::scheduler {

inline constexpr int kBatches[] = {1, 4, 16};

struct World {
  Problem problem;
  MadeUpBoard board;
};

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Any number of 0 ... 19 for a seed and the things it stands for.
inline int scatter(std::uint64_t seed, std::initializer_list<std::int64_t> of) {
  for (const auto value : of)
    seed = mixed(seed + 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(value));
  return static_cast<int>(seed % 20);
}

// Faster modes tend to draw more. Few distinct values, so that ties are common.
inline MadeUpBoard any_board(std::uint64_t seed) {
  return {[seed](WorkloadTask task, const PowerMode& m, int batch) {
    const auto t = static_cast<std::int64_t>(task);
    const auto level = static_cast<double>(m.cpu_cores + m.cpu_khz + m.gpu_hz + m.emc_hz);
    const double time = (20.0 + scatter(seed, {1, t, m.cpu_cores, m.cpu_khz, m.gpu_hz, m.emc_hz, batch})) *
                        (1 + batch) / level;
    const double power = 5 + level + scatter(seed, {2, t, m.cpu_cores, m.cpu_khz, m.gpu_hz, m.emc_hz, batch});
    return MadeUpBoard::Step{std::ceil(time), power};
  }};
}

inline std::vector<std::int64_t> any_levels() {
  return levels_up_to(*rc::gen::inRange<std::int64_t>(1, 5));
}

inline World any_world() {
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
inline std::optional<double> brute_force(const World& world) {
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

inline double value_of(const Problem& problem, const Choice& choice) {
  return problem.kind == ProblemKind::infer ? -choice.latency_ms : choice.train_throughput_hz;
}

inline bool keeps_budgets(const World& world, const Choice& choice) {
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

inline bool same(const Measure& a, const Measure& b) {
  return a.task == b.task && a.mode == b.mode && a.batch_size == b.batch_size;
}

}  // namespace fulcrum::scheduler

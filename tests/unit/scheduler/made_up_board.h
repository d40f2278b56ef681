#pragma once
// A board of the tests' own making: times and powers by formula, for any mode of a grid.

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

inline ModeGrid grid_of(std::vector<std::int64_t> cores, std::vector<std::int64_t> cpu,
                        std::vector<std::int64_t> gpu, std::vector<std::int64_t> emc) {
  return ModeGrid::make({std::move(cores), std::move(cpu), std::move(gpu), std::move(emc)}).value();
}

inline std::vector<std::int64_t> levels_up_to(std::int64_t n) {
  std::vector<std::int64_t> levels;
  for (std::int64_t level = 1; level <= n; ++level)
    levels.push_back(level);
  return levels;
}

struct MadeUpBoard {
  struct Step {
    double time_ms;
    double power_w;
  };
  std::function<Step(WorkloadTask, const PowerMode&, int batch)> step;

  Profile measure(const Measure& probe) const {
    const Step s = step(probe.task, probe.mode, probe.batch_size);
    return {probe.task, probe.mode, probe.batch_size, s.time_ms, s.time_ms, s.power_w};
  }
};

inline StrategyTools tools_of(std::uint64_t seed, std::vector<PowerMode> presets = {}) {
  StrategyTools tools;
  tools.seed = seed;
  tools.presets = std::move(presets);
  return tools;
}

// For boards whose modes are told apart by their CPU clock alone.
inline PowerMode clocked(std::int64_t cpu) {
  return {1, cpu, 1, 1};
}

struct SearchRun {
  std::vector<Measure> probes;
  ProfileSet profiles;
  Step end;

  const Choice* choice() const {
    const auto* answer = std::get_if<Answer>(&end);
    return answer != nullptr ? &answer->choice : nullptr;
  }
  const Infeasible* infeasible() const { return std::get_if<Infeasible>(&end); }
};

inline std::vector<PowerMode> modes_of(const SearchRun& run) {
  std::vector<PowerMode> modes;
  modes.reserve(run.probes.size());
  for (const auto& probe : run.probes)
    modes.push_back(probe.mode);
  return modes;
}

// Stops a search that would not stop by itself.
inline constexpr std::size_t kFarTooManyProbes = 5000;

inline SearchRun search(const std::string& strategy, const Problem& problem, const MadeUpBoard& board,
                        ProfileSet known = {}, const StrategyTools& tools = {}) {
  SearchRun run;
  run.profiles = std::move(known);
  while (run.probes.size() < kFarTooManyProbes) {
    // A new strategy every time: nothing may be remembered.
    run.end = make_strategy(strategy, tools).value()->next(problem, run.profiles);
    const auto* probe = std::get_if<Measure>(&run.end);
    if (probe == nullptr || !run.profiles.add(board.measure(*probe))) break;
    run.probes.push_back(*probe);
  }
  return run;
}

}  // namespace fulcrum::scheduler

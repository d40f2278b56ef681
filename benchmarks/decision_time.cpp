// What one decision of RGS costs: fit, predict every mode and batch size, choose. On one core, for grids of
// growing size, with as many profiles as a search takes and with as many as it ever uses.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "powermode/simulated_workloads.h"
#include "scheduler/strategy.h"

namespace fulcrum::benchmarks {
namespace {

using scheduler::ModeGrid;
using scheduler::Problem;
using scheduler::ProblemKind;
using scheduler::ProfileSet;

std::vector<std::int64_t> levels(std::int64_t first, std::int64_t last, int count) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    all.push_back(count == 1 ? last : first + (last - first) * i / (count - 1));
  return all;
}

struct Size {
  int cores, cpu, gpu, emc;
};
// 441: searches are evaluated on it. 4,368: the recorded training tables. 18,096 and 29,232: all that an AGX
// Orin and the largest board of the family have.
constexpr Size kSizes[] = {{3, 7, 7, 3}, {6, 14, 13, 4}, {12, 29, 13, 4}, {12, 29, 21, 4}};

ModeGrid grid_of(const Size& size) {
  return ModeGrid::make({{levels(1, 12, size.cores), levels(115200, 2201600, size.cpu),
                          levels(114750000, 1300500000, size.gpu), levels(204000000, 3199000000, size.emc)}})
      .value();
}

Problem problem_of(ProblemKind kind, const ModeGrid& grid) {
  Problem problem;
  problem.kind = kind;
  problem.grid = grid;
  problem.power_budget_w = 28;
  problem.latency_budget_ms = 800;
  problem.arrival_rate_hz = 60;
  problem.inference_batch_sizes = {1, 4, 16, 32, 64};
  return problem;
}

// Of random modes, as the simulated board has them.
ProfileSet profiles_of(const Problem& problem, const SimulatedWorkloads& workloads, int count) {
  ProfileSet profiles;
  std::mt19937 random(1);
  const auto& sizes = problem.inference_batch_sizes;
  for (int i = 0; i < count; ++i) {
    const bool trains =
        problem.kind != ProblemKind::infer && (problem.kind == ProblemKind::train || i % 2 == 0);
    const auto task = trains ? WorkloadTask::training : WorkloadTask::inference;
    const int batch = trains ? 16 : sizes[random() % sizes.size()];
    const auto mode = problem.grid.mode(random() % problem.grid.size());
    const double ms = workloads.step_time_ms("light-cnn", task, batch, mode).value();
    const double power_w = workloads.busy_power_w("light-cnn", task, batch, mode).value();
    if (!profiles.add({task, mode, batch, ms, ms, power_w})) return {};
  }
  return profiles;
}

// Median of new searches, so that nothing is remembered.
double decision_ms(Problem problem, const ProfileSet& profiles, int rounds) {
  problem.profiles_at_start = profiles.size();
  std::vector<double> took;
  took.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    const auto strategy = scheduler::make_strategy("rgs").value();
    const auto begin = std::chrono::steady_clock::now();
    const auto step = strategy->next(problem, profiles);
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
    took.push_back(step.valueless_by_exception() ? 0 : passed.count());
  }
  std::nth_element(took.begin(), took.begin() + rounds / 2, took.end());
  return took[static_cast<std::size_t>(rounds / 2)];
}

void print_table(int rounds) {
  const auto workloads = SimulatedWorkloads::builtin("agx-orin").value();
  fmt::print("{:>7} {:>15} {:>15} {:>15} {:>15}\n", "modes", "train, 12", "infer x 5, 12", "both x 5, 12",
             "infer x 5, 80");
  for (const auto& size : kSizes) {
    const ModeGrid grid = grid_of(size);
    fmt::print("{:>7}", grid.size());
    for (const auto& [kind, count] :
         {std::pair{ProblemKind::train, 12}, std::pair{ProblemKind::infer, 12},
          std::pair{ProblemKind::concurrent, 12}, std::pair{ProblemKind::infer, 80}}) {
      const auto problem = problem_of(kind, grid);
      fmt::print(" {:>12.2f} ms", decision_ms(problem, profiles_of(problem, workloads, count), rounds));
    }
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace fulcrum::benchmarks

int main(int argc, char** argv) {
  int rounds = 9;
  CLI::App app("The time of one decision of RGS, by the number of modes and of profiles");
  app.add_option("--rounds", rounds, "decisions of which the median is taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  fulcrum::benchmarks::print_table(rounds);
  return 0;
}

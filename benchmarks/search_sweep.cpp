#include "benchmarks/search_sweep.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>

namespace fulcrum::benchmarks {

using scheduler::Answer;
using scheduler::Choice;
using scheduler::Measure;
using scheduler::Problem;
using scheduler::ProblemKind;
using scheduler::ProfileSet;

namespace {

Problem problem_of(ProblemKind kind, const scheduler::ModeGrid& grid, int power_w) {
  Problem problem;
  problem.kind = kind;
  problem.grid = grid;
  problem.power_budget_w = power_w;
  problem.training_batch_size = 16;
  problem.inference_batch_sizes = {1, 4, 16, 32, 64};
  problem.decide_with = scheduler::TimeStatistic::p50;
  return problem;
}

struct Range {
  int first, last, step;
};

std::vector<Problem> inference_problems(ProblemKind kind, const scheduler::ModeGrid& grid, Range latency_ms,
                                        Range rate_hz, int every) {
  std::vector<Problem> problems;
  int number = 0;
  for (int power = 10; power <= 50; ++power) {
    for (int latency = latency_ms.first; latency <= latency_ms.last; latency += latency_ms.step) {
      for (int rate = rate_hz.first; rate <= rate_hz.last; rate += rate_hz.step) {
        if (number++ % every != 0) continue;
        problems.push_back(problem_of(kind, grid, power));
        problems.back().latency_budget_ms = latency;
        problems.back().arrival_rate_hz = rate;
      }
    }
  }
  return problems;
}

struct Search {
  scheduler::Step end;
  int probes = 0;
  int modes = 0;
  int decisions = 0;
  std::chrono::nanoseconds deciding{};
};

Search run(const scheduler::Strategy& strategy, const Problem& problem, const ProfileSet& table) {
  Search search;
  ProfileSet known;
  std::set<PowerMode> modes;
  for (;;) {
    const auto before = std::chrono::steady_clock::now();
    search.end = strategy.next(problem, known);
    search.deciding += std::chrono::steady_clock::now() - before;
    ++search.decisions;
    const auto* probe = std::get_if<Measure>(&search.end);
    const auto* measured =
        probe != nullptr ? table.find(probe->task, probe->mode, probe->batch_size) : nullptr;
    if (measured == nullptr || !known.add(*measured)) break;
    ++search.probes;
    modes.insert(probe->mode);
  }
  search.modes = static_cast<int>(modes.size());
  return search;
}

double loss_percent(const Problem& problem, const Choice& found, const Choice& best) {
  if (problem.kind == ProblemKind::infer) return 100.0 * (found.latency_ms / best.latency_ms - 1);
  return 100.0 * (1 - found.train_throughput_hz / best.train_throughput_hz);
}

bool over_budget(const Problem& problem, const Choice& choice) {
  const bool power = !problem.inside_power(choice.power_w);
  return power || (problem.infers() && choice.latency_ms > problem.latency_budget_ms);
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::vector<Problem> train_problems(const scheduler::ModeGrid& grid) {
  std::vector<Problem> problems;
  for (int power = 10; power <= 50; ++power)
    problems.push_back(problem_of(ProblemKind::train, grid, power));
  return problems;
}

std::vector<Problem> infer_problems(const scheduler::ModeGrid& grid, int every) {
  return inference_problems(ProblemKind::infer, grid, {50, 150, 10}, {30, 90, 5}, every);
}

std::vector<Problem> concurrent_problems(const scheduler::ModeGrid& grid, int every) {
  return inference_problems(ProblemKind::concurrent, grid, {500, 2000, 100}, {30, 120, 10}, every);
}

SweepResult sweep(const scheduler::Strategy& strategy, const std::vector<Problem>& problems,
                  const ProfileSet& table) {
  SweepResult result;
  std::vector<double> losses, modes, probes;
  int decisions = 0;
  std::chrono::nanoseconds deciding{};
  for (const auto& problem : problems) {
    const Search search = run(strategy, problem, table);
    decisions += search.decisions;
    deciding += search.deciding;
    const auto* answer = std::get_if<Answer>(&search.end);
    if (answer != nullptr && over_budget(problem, answer->choice)) ++result.over_budget;
    const auto optimum = scheduler::choose(problem, table);
    const auto* best = std::get_if<Choice>(&optimum);
    if (best == nullptr) continue;
    ++result.solvable;
    modes.push_back(search.modes);
    probes.push_back(search.probes);
    result.most_modes = std::max(result.most_modes, search.modes);
    result.most_probes = std::max(result.most_probes, search.probes);
    if (answer == nullptr) continue;
    ++result.solved;
    if (problem.kind == ProblemKind::infer || best->train_throughput_hz > 0)
      losses.push_back(loss_percent(problem, answer->choice, *best));
  }
  result.median_loss_percent = median(losses);
  result.mean_loss_percent = mean(losses);
  result.mean_modes = mean(modes);
  result.mean_probes = mean(probes);
  if (decisions > 0) {
    result.mean_decision_us = std::chrono::duration<double, std::micro>(deciding).count() / decisions;
  }
  return result;
}

}  // namespace fulcrum::benchmarks

#include "eval/evaluation.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "eval/judgement.h"
#include "eval/oracle.h"
#include "eval/parallel.h"
#include "eval/search.h"
#include "eval/sweep.h"
#include "scheduler/exhaustive.h"

namespace fulcrum::eval {

using scheduler::Candidate;
using scheduler::Problem;
using scheduler::ProfileSet;
using scheduler::Strategy;

namespace {

using Strategies = std::vector<std::unique_ptr<Strategy>>;
using Optima = std::vector<std::optional<Candidate>>;

constexpr std::size_t kProblemsPerTask = 64;

// Problems that one thread takes: some of a sweep, under one strategy.
struct Task {
  std::size_t sweep = 0;
  std::size_t strategy = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  bool keeps_profiles = false;  // from one of its problems to the next; then it has the whole sweep
};

Expected<Strategies> make_strategies(const Evaluation& evaluation, const Sweep& sweep) {
  auto tools = evaluation.tools;
  if (sweep.priors) tools.priors = sweep.priors;
  Strategies strategies;
  strategies.reserve(evaluation.strategies.size());
  for (const auto& name : evaluation.strategies) {
    FULCRUM_TRY_ASSIGN(strategy, scheduler::make_strategy(name, tools));
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

class Run {
 public:
  // `strategies`: for each thread its own, since they may remember what is dear to compute, by sweep.
  Run(const Evaluation& evaluation, std::vector<std::vector<Strategies>> strategies)
      : evaluation_(evaluation), strategies_(std::move(strategies)) {}

  std::vector<Result> results() {
    prepare();
    find_optima();
    const auto tasks = make_tasks();
    share_out(tasks.size(), evaluation_.jobs, [&](unsigned thread, std::size_t number) {
      work_on(tasks[number], strategies_[thread][tasks[number].sweep]);
    });
    return std::move(results_);
  }

 private:
  void prepare() {
    for (const auto& sweep : evaluation_.sweeps) {
      first_result_.push_back(all_);
      all_ += sweep.problems.size() * evaluation_.strategies.size();
      optima_.emplace_back(sweep.problems.size());
      oracles_.emplace_back(sweep.bench);
    }
    results_.resize(all_);
  }

  void find_optima() {
    for (std::size_t s = 0; s < evaluation_.sweeps.size(); ++s) {
      const std::size_t count = evaluation_.sweeps[s].problems.size();
      const std::size_t parts = (count + kProblemsPerTask - 1) / kProblemsPerTask;
      share_out(parts, evaluation_.jobs, [&, s](unsigned, std::size_t part) {
        const auto& all = evaluation_.sweeps[s].problems;
        const std::size_t end = std::min(all.size(), (part + 1) * kProblemsPerTask);
        for (std::size_t i = part * kProblemsPerTask; i < end; ++i)
          optima_[s][i] = oracles_[s].best(all[i]);
      });
    }
  }

  // Those that cannot be divided come first, so that no thread is left alone with them at the end.
  std::vector<Task> make_tasks() const {
    std::vector<Task> tasks;
    for (std::size_t s = 0; s < evaluation_.sweeps.size(); ++s) {
      for (std::size_t n = 0; n < evaluation_.strategies.size(); ++n) {
        const std::size_t count = evaluation_.sweeps[s].problems.size();
        const bool keeps = keeps_profiles(*strategies_[0][s][n]);
        const std::size_t size = keeps ? count : kProblemsPerTask;
        for (std::size_t first = 0; first < count; first += size)
          tasks.push_back({s, n, first, std::min(count, first + size), keeps});
      }
    }
    std::stable_partition(tasks.begin(), tasks.end(), [](const Task& task) { return task.keeps_profiles; });
    return tasks;
  }

  bool keeps_profiles(const Strategy& strategy) const {
    return evaluation_.warm || strategy.serves_all_budgets();
  }

  void work_on(const Task& task, const Strategies& strategies) {
    const Strategy& strategy = *strategies[task.strategy];
    const auto order = shuffled(evaluation_.warm ? task.end - task.first : 0, evaluation_.seed);
    ProfileSet known;
    for (std::size_t i = task.first; i < task.end; ++i) {
      if (!task.keeps_profiles) known = {};
      solve(task, evaluation_.warm ? order[i] : i, strategy, known);
      tell_progress();
    }
  }

  void solve(const Task& task, std::size_t number, const Strategy& strategy, ProfileSet& known) {
    const auto& bench = evaluation_.sweeps[task.sweep].bench;
    const Problem& problem = evaluation_.sweeps[task.sweep].problems[number];
    SearchLog log = strategy.name() == scheduler::kExhaustiveName
                        ? search_exhaustively(task.sweep, number)
                        : run_search(strategy, problem, bench, evaluation_.noise, number, known);
    Result& result =
        results_[first_result_[task.sweep] + number * evaluation_.strategies.size() + task.strategy];
    result.scenario = to_string(problem.kind);
    result.policy = to_string(problem.policy);
    result.train_workload = bench.train_workload();
    result.infer_workload = bench.infer_workload();
    result.power_budget_w = *problem.power_budget_w;
    if (problem.infers()) {
      result.latency_budget_ms = problem.latency_budget_ms;
      result.arrival_rate_hz = problem.arrival_rate_hz;
    }
    result.strategy = strategy.name();
    result.seed = evaluation_.seed;
    result.profiles = log.profiles;
    result.modes = log.modes;
    result.decision_ms = log.deciding_ms / log.decisions;
    result.measured = std::move(log.measured);
    judge(problem, bench, optima_[task.sweep][number], log.end, result);
  }

  SearchLog search_exhaustively(std::size_t sweep, std::size_t number) const {
    const auto& bench = evaluation_.sweeps[sweep].bench;
    const Problem& problem = evaluation_.sweeps[sweep].problems[number];
    const auto& noise = evaluation_.noise;
    if (noise.none()) return run_exhaustive_search(problem, bench, noise, oracles_[sweep]);
    const Bench measured = noise.measured(bench, number);
    return run_exhaustive_search(problem, measured, noise, Oracle(measured));
  }

  void tell_progress() {
    if (!evaluation_.progress) return;
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    evaluation_.progress(++done_, all_);
  }

  const Evaluation& evaluation_;
  std::vector<std::vector<Strategies>> strategies_;
  std::vector<Oracle> oracles_;            // by sweep
  std::vector<Optima> optima_;             // by sweep and problem
  std::vector<std::size_t> first_result_;  // of each sweep
  std::vector<Result> results_;
  std::size_t all_ = 0;
  std::mutex progress_mutex_;
  std::size_t done_ = 0;
};

}  // namespace

Expected<std::vector<Result>> evaluate(const Evaluation& evaluation) {
  std::vector<std::vector<Strategies>> strategies(std::max(1U, evaluation.jobs));
  for (auto& own : strategies) {
    own.reserve(evaluation.sweeps.size());
    for (const auto& sweep : evaluation.sweeps) {
      FULCRUM_TRY_ASSIGN(made, make_strategies(evaluation, sweep));
      own.push_back(std::move(made));
    }
  }
  return Run(evaluation, std::move(strategies)).results();
}

}  // namespace fulcrum::eval

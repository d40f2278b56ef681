// What the search for several inference jobs is worth: training beside two of them, by the strategies, by the
// optimum of the whole table, and as if the mode were searched for the first job alone and the second
// admitted in it. From recorded tables, or those of a simulated board.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "eval/oracle.h"
#include "eval/search.h"
#include "eval/table_source.h"
#include "scheduler/jobs_together.h"

namespace fulcrum::benchmarks {
namespace {

using eval::Bench;
using eval::Table;
using scheduler::Candidate;
using scheduler::JobsTogether;
using scheduler::Problem;
using scheduler::ProblemKind;
using scheduler::Profile;
using scheduler::ProfileSet;
using scheduler::UrgentJob;

struct Tables {
  Table training;
  Table first;
  Table second;
};

std::vector<UrgentJob> jobs_of(const Tables& tables, double rate_hz, double budget_ms) {
  // The second asks half as often and may take twice as long.
  return {{rate_hz, budget_ms, tables.first.batch_sizes(), {}},
          {rate_hz / 2, 2 * budget_ms, tables.second.batch_sizes(), {}}};
}

// Of every mode and batch, as if both had been measured everywhere.
std::optional<Bench> bench_of(const Tables& tables, const JobsTogether& jobs, const Problem& problem) {
  std::vector<Profile> rows;
  for (std::size_t i = 0; i < problem.grid.size(); ++i) {
    const auto mode = problem.grid.mode(i);
    for (const int batch : problem.inference_batch_sizes) {
      const auto& sizes = jobs.sizes_of(batch);
      const auto* first = tables.first.find(mode, sizes[0]);
      const auto* second = tables.second.find(mode, sizes[1]);
      if (first != nullptr && second != nullptr) rows.push_back(jobs.together(batch, {*first, *second}));
    }
  }
  auto table = Table::make("both", WorkloadTask::inference, rows);
  if (!table) return std::nullopt;
  return Bench{ProblemKind::concurrent, problem.grid, tables.training, *std::move(table)};
}

struct Score {
  std::string name;
  int solved = 0;
  double loss_percent = 0;  // sum over the solved with an optimum above 0
  int compared = 0;
  double probes = 0;

  void add(const std::optional<Candidate>& answer, double optimum_hz, double took) {
    probes += took;
    if (!answer || !answer->feasible()) return;
    ++solved;
    if (optimum_hz <= 0) return;
    ++compared;
    loss_percent += 100 * (1 - answer->train_throughput_hz / optimum_hz);
  }
};

// The best batch for both in a mode.
std::optional<Candidate> best_in(const Problem& problem, const Bench& bench, const PowerMode& mode) {
  std::optional<Candidate> best;
  const auto* training = bench.find(WorkloadTask::training, mode, problem.training_batch_size);
  for (const int batch : problem.inference_batch_sizes) {
    const auto* inference = bench.find(WorkloadTask::inference, mode, batch);
    if (training == nullptr || inference == nullptr) continue;
    const Candidate c = make_candidate(problem, training, inference);
    if (c.feasible() && (!best || rank(problem, c) < rank(problem, *best))) best = c;
  }
  return best;
}

int inference_probes(const eval::SearchLog& log) {
  return static_cast<int>(std::count_if(log.measured.begin(), log.measured.end(),
                                        [](const auto& m) { return m.task == WorkloadTask::inference; }));
}

class Comparison {
 public:
  explicit Comparison(std::vector<std::string> strategies) : strategies_(std::move(strategies)) {
    for (const auto& name : strategies_)
      scores_.push_back({name + ", for both", 0, 0, 0, 0});
    scores_.push_back({"rgs, for the first", 0, 0, 0, 0});
  }

  void add(const Tables& tables, Problem problem, double rate_hz, double budget_ms) {
    const JobsTogether jobs(jobs_of(tables, rate_hz, budget_ms));
    jobs.describe(problem);
    const auto bench = bench_of(tables, jobs, problem);
    if (!bench) return;
    ++problems_;
    const auto optimum = eval::Oracle(*bench).best(problem);
    if (!optimum) return;
    ++solvable_;
    for (std::size_t i = 0; i < strategies_.size(); ++i) {
      ProfileSet known;
      const auto log = search(strategies_[i], problem, *bench, known);
      const auto* answer = std::get_if<scheduler::Answer>(&log.end);
      scores_[i].add(answer != nullptr ? best_in(problem, *bench, answer->choice.mode) : std::nullopt,
                     optimum->train_throughput_hz, log.profiles + inference_probes(log));
    }
    add_first(tables, problem, *bench, jobs_of(tables, rate_hz, budget_ms).front(),
              optimum->train_throughput_hz);
  }

  void print() const {
    fmt::print("{} problems, {} solvable\n{:<20} {:>8} {:>12} {:>8}\n", problems_, solvable_, "", "solved",
               "loss", "probes");
    for (const auto& s : scores_) {
      fmt::print("{:<20} {:>8} {:>10.1f} % {:>8.1f}\n", s.name, s.solved,
                 s.loss_percent / std::max(1, s.compared), s.probes / std::max(1, solvable_));
    }
  }

 private:
  static eval::SearchLog search(const std::string& strategy, const Problem& problem, const Bench& bench,
                                ProfileSet& known) {
    return eval::run_search(*scheduler::make_strategy(strategy).value(), problem, bench, {}, 0, known);
  }

  void add_first(const Tables& tables, const Problem& both, const Bench& bench, const UrgentJob& first,
                 double optimum_hz) {
    Problem alone = both;
    alone.several.reset();
    alone.arrival_rate_hz = first.arrival_rate_hz;
    alone.latency_budget_ms = first.latency_budget_ms;
    alone.inference_batch_sizes = first.batch_sizes;
    const Bench of_first{ProblemKind::concurrent, both.grid, tables.training, tables.first};
    ProfileSet known;
    const auto log = search("rgs", alone, of_first, known);
    const auto* answer = std::get_if<scheduler::Answer>(&log.end);
    const auto sizes = static_cast<double>(tables.second.batch_sizes().size());
    scores_.back().add(answer != nullptr ? best_in(both, bench, answer->choice.mode) : std::nullopt,
                       optimum_hz, log.profiles + (answer != nullptr ? sizes : 0));
  }

  std::vector<std::string> strategies_;
  std::vector<Score> scores_;
  int problems_ = 0;
  int solvable_ = 0;
};

// Every training workload beside every pair of inference workloads.
std::optional<std::string> compare(const eval::TableSource& source, Comparison& comparison, double step_w) {
  for (const auto& train : source.workloads(WorkloadTask::training)) {
    for (const auto& first : source.workloads(WorkloadTask::inference)) {
      for (const auto& second : source.workloads(WorkloadTask::inference)) {
        const auto training = source.table(train, WorkloadTask::training);
        const auto one = source.table(first, WorkloadTask::inference);
        const auto other = source.table(second, WorkloadTask::inference);
        if (!training || !one || !other) return "a table cannot be read";
        const auto bench =
            eval::make_bench(ProblemKind::concurrent, eval::GridChoice::search, &*training, &*one);
        if (!bench) return bench.error().to_string();
        const Tables tables{*bench->training, *bench->inference, other->on(bench->grid)};
        Problem problem;
        problem.kind = ProblemKind::concurrent;
        problem.grid = bench->grid;
        for (double power_w = 14; power_w <= 50; power_w += step_w) {
          problem.power_budget_w = power_w;
          for (const double rate_hz : {10.0, 30.0, 60.0}) {
            for (const double budget_ms : {300.0, 800.0, 1500.0})
              comparison.add(tables, problem, rate_hz, budget_ms);
          }
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace fulcrum::benchmarks

int main(int argc, char** argv) {
  using namespace fulcrum;
  std::string folder;
  std::string board = "agx-orin";
  double step_w = 4;
  std::vector<std::string> strategies{"rgs", "gmd"};
  CLI::App app("Searches for training beside two inference jobs");
  app.add_option("--tables", folder, "a folder of recorded tables; without: those of a simulated board");
  app.add_option("--board", board, "the simulated board")->capture_default_str();
  app.add_option("--step-w", step_w, "between power budgets")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--strategies", strategies, "that search for both")->delimiter(',')->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto source = eval::open_tables(folder, board, false);
  if (!source) {
    fmt::print(stderr, "several_jobs: {}\n", source.error().to_string());
    return 1;
  }
  benchmarks::Comparison comparison(strategies);
  if (const auto wrong = benchmarks::compare(**source, comparison, step_w)) {
    fmt::print(stderr, "several_jobs: {}\n", *wrong);
    return 1;
  }
  comparison.print();
  return 0;
}

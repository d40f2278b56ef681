// Prints how GMD does on the recorded tables of a Jetson AGX Orin, beside the results that its authors
// recorded, and what a decision costs.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/recorded_tables.h"
#include "benchmarks/search_sweep.h"
#include "tests/support/shared_data.h"

namespace fulcrum::benchmarks {
namespace {

// searches.md section 6, second table.
struct Recorded {
  const char* solved;
  double median_loss_percent;
  double mean_loss_percent;
  double mean_modes;
};

struct Sweep {
  const char* scenario;
  const char* train;
  const char* infer;
  Recorded authors;
};

constexpr Sweep kSweeps[] = {
    {"train", "resnet", nullptr, {"36/36", 8.1, 12.1, 9.5}},
    {"train", "mobilenet", nullptr, {"36/36", 3.3, 11.8, 9.1}},
    {"train", "yolo", nullptr, {"37/38", 3.3, 5.6, 8.7}},
    {"infer", nullptr, "resnet", {"3570/4041", 2.1, 10.6, 9.7}},
    {"infer", nullptr, "mobilenet", {"3905/4297", 1.9, 10.2, 9.8}},
    {"infer", nullptr, "yolo", {"3277/3427", 0, 1.7, 9.8}},
    {"concurrent", "yolo", "resnet", {"5003/5322", 50, 45.9, 12.2}},
    {"concurrent", "resnet", "mobilenet", {"5425/5520", 10, 15.7, 11.6}},
    {"concurrent", "mobilenet", "mobilenet", {"5523/5626", 0, 11.5, 11.9}},
};

struct Options {
  std::string tables = test::shared_data_dir() + "/orin-agx";
  std::string strategy = "gmd";
  std::string scenario = "all";
  int every = 1;
};

std::vector<scheduler::Problem> problems_of(const Sweep& sweep, const scheduler::ModeGrid& grid, int every) {
  if (sweep.infer == nullptr) return train_problems(grid);
  return sweep.train == nullptr ? infer_problems(grid, every) : concurrent_problems(grid, every);
}

std::string name_of(const Sweep& sweep) {
  const std::string train = sweep.train != nullptr ? sweep.train : "";
  const std::string infer = sweep.infer != nullptr ? sweep.infer : "";
  return fmt::format("{} {}{}{}", sweep.scenario, train, train.empty() || infer.empty() ? "" : " + ", infer);
}

Expected<void> print_sweep(const Sweep& sweep_of, const Options& options,
                           const scheduler::Strategy& strategy) {
  FULCRUM_TRY_ASSIGN(grid, orin_evaluation_grid());
  scheduler::ProfileSet table;
  if (sweep_of.train != nullptr) {
    const auto path = fmt::format("{}/{}-train.csv", options.tables, sweep_of.train);
    FULCRUM_TRY(read_table(path, WorkloadTask::training, grid, table));
  }
  if (sweep_of.infer != nullptr) {
    const auto path = fmt::format("{}/{}-infer.csv", options.tables, sweep_of.infer);
    FULCRUM_TRY(read_table(path, WorkloadTask::inference, grid, table));
  }
  const auto r = sweep(strategy, problems_of(sweep_of, grid, options.every), table);
  const auto& a = sweep_of.authors;
  fmt::print(
      "{:<33} {:>9} ({:>9}) {:>6.1f} ({:>4.1f}) {:>6.1f} ({:>4.1f}) {:>6.1f} ({:>4.1f}) {:>5} {:>7.1f} "
      "{:>6} {:>11} {:>9.1f}\n",
      name_of(sweep_of), fmt::format("{}/{}", r.solved, r.solvable), a.solved, r.median_loss_percent,
      a.median_loss_percent, r.mean_loss_percent, a.mean_loss_percent, r.mean_modes, a.mean_modes,
      r.most_modes, r.mean_probes, r.most_probes, r.over_budget, r.mean_decision_us);
  return {};
}

Expected<void> print_all(const Options& options) {
  FULCRUM_TRY_ASSIGN(strategy, scheduler::make_strategy(options.strategy));
  fmt::print("{}; in brackets what the authors of GMD recorded. Loss in % of the optimum.\n",
             strategy->name());
  fmt::print("{:<33} {:>21} {:>13} {:>13} {:>13} {:>5} {:>7} {:>6} {:>11} {:>9}\n", "problems",
             "solved/solvable", "median loss", "mean loss", "mean modes", "most", "probes", "most",
             "over budget", "us/decide");
  for (const auto& sweep_of : kSweeps) {
    if (options.scenario == "all" || options.scenario == sweep_of.scenario)
      FULCRUM_TRY(print_sweep(sweep_of, options, *strategy));
  }
  return {};
}

}  // namespace
}  // namespace fulcrum::benchmarks

int main(int argc, char** argv) {
  fulcrum::benchmarks::Options options;
  CLI::App app("Searches over the recorded tables of a Jetson AGX Orin, against the recorded results of GMD");
  app.add_option("--tables", options.tables, "folder of <workload>-train.csv and <workload>-infer.csv")
      ->capture_default_str();
  app.add_option("--strategy", options.strategy, "the search to run")->capture_default_str();
  app.add_option("--scenario", options.scenario, "train, infer, concurrent or all")
      ->check(CLI::IsMember({"train", "infer", "concurrent", "all"}))
      ->capture_default_str();
  app.add_option("--every", options.every, "one problem in so many, of infer and concurrent")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const auto printed = fulcrum::benchmarks::print_all(options); !printed) {
    fmt::print(stderr, "gmd_reference: {}\n", printed.error().to_string());
    return 1;
  }
  return 0;
}

#include "eval/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "common/version.h"
#include "eval/plot_command.h"
#include "eval/policy.h"
#include "eval/run_command.h"
#include "scheduler/strategy.h"

namespace fulcrum::eval {

namespace {

constexpr int kFailedStatus = 1;
constexpr int kUsageStatus = 2;

constexpr const char* kFooter =
    "Examples:\n"
    "  fulcrum-eval run --tables DIR --scenario train --strategy rgs,gmd --out results.csv\n"
    "  fulcrum-eval run --scenario concurrent --sample 0.1 --noise-time 0.03 --noise-power 0.02 --json\n"
    "  fulcrum-eval plot results.csv --tables DIR --out pictures\n"
    "\n"
    "Tables are CSV files <workload>-train.csv and <workload>-infer.csv with the header\n"
    "cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w. Without --tables they are computed for the\n"
    "workload classes of a simulated board.\n"
    "\n"
    "Exit status: 0 ok; 1 a file cannot be read or written, or a strategy failed; 2 wrong usage.";

void add_sweep_options(CLI::App& run, RunOptions& options) {
  run.add_option("--tables", options.tables, "Folder of recorded tables; without it simulated ones")
      ->type_name("DIR");
  run.add_option("--board", options.board, "The board of the simulated tables and of the presets")
      ->capture_default_str();
  run.add_option("--scenario", options.scenario, "train, infer, concurrent or all")
      ->check(CLI::IsMember({"train", "infer", "concurrent", "all"}))
      ->capture_default_str();
  run.add_option("--train", options.train, "Training workloads; without it all that there are")
      ->type_name("W[,W]")
      ->delimiter(',');
  run.add_option("--infer", options.infer, "Inference workloads; concurrent takes every pair of the two")
      ->type_name("W[,W]")
      ->delimiter(',');
  run.add_option("--grid", options.grid,
                 "441: at most 3 x 7 x 7 x 3 of the tables' levels; full: all of them")
      ->check(CLI::IsMember({"441", "full"}))
      ->capture_default_str();
  run.add_option("--power", options.power, "Power budgets in W, first:last:step; default 10:50:1")
      ->type_name("RANGE");
  run.add_option("--latency-ms", options.latency_ms,
                 "Latency budgets; default 50:150:10, concurrent 500:2000:100")
      ->type_name("RANGE");
  run.add_option("--rate", options.rate, "Requests per second; default 30:90:5, concurrent 30:120:10")
      ->type_name("RANGE");
  run.add_option("--sample", options.sample,
                 "The part of each sweep's problems that is run, drawn by the seed")
      ->capture_default_str();
}

void add_search_options(CLI::App& run, RunOptions& options) {
  const auto searches = fmt::format("Searches: {}", fmt::join(scheduler::strategy_names(), ", "));
  run.add_option("--strategy", options.strategies, searches)
      ->type_name("S[,S]")
      ->delimiter(',')
      ->capture_default_str();
  run.add_option("--policy", options.policies,
                 fmt::format("How training and inference share the device: {}; with both, slack is also "
                             "compared with managed",
                             fmt::join(policy_names(), ", ")))
      ->type_name("P[,P]")
      ->delimiter(',')
      ->capture_default_str();
  run.add_option("--noise-time", options.noise_time,
                 "Measured times are exp(sigma z) of the tables'; a fraction: 0.03 is 3 %")
      ->type_name("SIGMA")
      ->capture_default_str();
  run.add_option("--noise-power", options.noise_power, "The same for powers")
      ->type_name("SIGMA")
      ->capture_default_str();
  run.add_flag(
      "--warm", options.warm,
      "Keep profiles from problem to problem of a workload (or pair), in an order that the seed draws");
  run.add_option(
         "--learn", options.learn,
         "RGS begins with what so many profiles of each workload that is not searched for tell, drawn "
         "by the seed; 0: with what is known of the board")
      ->check(CLI::Range(0, 1000))
      ->type_name("N")
      ->capture_default_str();
  run.add_option("--seed", options.seed, "Of samples, orders, noise and random strategies")
      ->capture_default_str();
  run.add_option("--jobs", options.jobs, "Threads; 0: one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

void add_run(CLI::App& app, RunOptions& options) {
  auto* run = app.add_subcommand("run", "Score search strategies over many problems");
  add_sweep_options(*run, options);
  add_search_options(*run, options);
  run->add_option("--out", options.out, "Write a row of CSV for each problem and strategy")
      ->type_name("FILE");
  run->add_option("--visits", options.visits,
                  "Write how often each strategy measured each mode, for 'plot --visits'")
      ->type_name("FILE");
  run->add_flag("--json", options.json, "Print the summary as JSON, for scripts");
}

void add_plot(CLI::App& app, PlotOptions& options) {
  auto* plot = app.add_subcommand("plot", "Draw what 'run --out' wrote, as SVG");
  plot->add_option("results", options.results, "The file")->required();
  plot->add_option("--visits", options.visits, "What 'run --visits' wrote: drawn into the Pareto fronts")
      ->type_name("FILE");
  plot->add_option("--tables", options.tables, "The tables of the run; without it simulated ones")
      ->type_name("DIR");
  plot->add_option("--board", options.board, "The board of the simulated tables")->capture_default_str();
  plot->add_option("--grid", options.grid, "The grid of the run: 441 or full")
      ->check(CLI::IsMember({"441", "full"}))
      ->capture_default_str();
  plot->add_option("--out", options.out,
                   "Folder for the pictures: losses-<scenario>.svg and, by workload, front-*.svg")
      ->type_name("DIR")
      ->required();
}

int report(const Expected<void>& outcome, Terminal& terminal) {
  if (outcome) return 0;
  terminal.err << "fulcrum-eval: " << outcome.error().to_string() << "\n";
  return outcome.error().code == ErrorCode::invalid_argument ? kUsageStatus : kFailedStatus;
}

}  // namespace

int run_program(std::vector<std::string> arguments, Terminal& terminal,
                std::shared_ptr<const scheduler::Learner> learner) {
  CLI::App app("fulcrum-eval: score the searches for power modes on recorded or simulated tables",
               "fulcrum-eval");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("fulcrum-eval ") + kVersion);
  RunOptions run;
  PlotOptions plot;
  add_run(app, run);
  add_plot(app, plot);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    return app.exit(e, terminal.out, terminal.err) == 0 ? 0 : kUsageStatus;
  }
  if (app.got_subcommand("plot")) return report(plot_results(plot, terminal), terminal);
  return report(run_strategies(run, terminal, std::move(learner)), terminal);
}

}  // namespace fulcrum::eval

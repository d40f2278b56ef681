#pragma once
// fulcrum-eval run: strategies over the problems of a sweep.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/program.h"
#include "eval/sweep.h"

namespace fulcrum::eval {

struct RunOptions {
  std::string tables;  // a folder; empty: those of the simulated board
  std::string board = "agx-orin";
  std::string scenario = "all";
  std::vector<std::string> train;  // workloads; empty: all that there are
  std::vector<std::string> infer;
  std::vector<std::string> strategies{"gmd", "rnd-50", "bs", "maxn"};
  std::vector<std::string> policies{"managed"};
  std::string grid = "441";
  double sample = 1;
  std::uint64_t seed = 1;
  double noise_time = 0;
  double noise_power = 0;
  bool warm = false;
  std::size_t learn = 0;                // profiles of each other workload that RGS learns its priors from
  std::string power, latency_ms, rate;  // ranges; empty: as the scenario has it
  unsigned jobs = 0;                    // 0: one thread a core
  std::string out;                      // a file for the results; empty: none
  std::string visits;                   // a file for what was measured; empty: none
  bool json = false;
};

// invalid_argument: the options make no sense.
[[nodiscard]] Expected<void> run_strategies(const RunOptions& options, Terminal& terminal,
                                            std::shared_ptr<const scheduler::Learner> learner);

}  // namespace fulcrum::eval

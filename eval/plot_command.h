#pragma once
// fulcrum-eval plot: pictures of what `run --out` wrote.

#include <string>

#include "eval/program.h"

namespace fulcrum::eval {

struct PlotOptions {
  std::string results;  // a file
  std::string visits;   // a file; empty: none
  std::string tables;   // as those of the run
  std::string board = "agx-orin";
  std::string grid = "441";
  std::string out;  // a folder, made if it is not there
};

// Prints the paths of what it wrote.
[[nodiscard]] Expected<void> plot_results(const PlotOptions& options, Terminal& terminal);

}  // namespace fulcrum::eval

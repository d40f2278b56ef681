#pragma once
// nvpmodel on a simulated board, run without a process.

#include <sstream>
#include <string>
#include <vector>

#include "powermode/simulated_nvpmodel_program.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum::test {

struct SimulatedNvpmodelRun {
  int status = 0;
  std::string output;  // both outputs, as who runs a program has them
};

inline SimulatedNvpmodelRun run_nvpmodel(const SimulatedBoard& board,
                                         const std::vector<std::string>& arguments,
                                         const std::string& input = {}) {
  std::istringstream in(input);
  std::ostringstream output;
  const int status = run_simulated_nvpmodel(*board.tree, arguments, in, output, output);
  return {status, output.str()};
}

}  // namespace fulcrum::test

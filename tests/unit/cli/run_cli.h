#pragma once
// fulcrumctl, run inside the test.

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.h"

namespace fulcrum::cli {

struct CliRun {
  int status = 0;
  std::string out;
  std::string err;
};

inline CliRun run_cli(std::vector<std::string> arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{in, out, err};
  const int status = run(std::move(arguments), terminal);
  return {status, out.str(), err.str()};
}

}  // namespace fulcrum::cli

#pragma once
// fulcrumctl from its arguments to its exit status.

#include <string>
#include <vector>

#include "cli/terminal.h"

namespace fulcrum::cli {

// arguments: without the program's name. Returns the exit status: 0 ok, 1 refused, failed or not fit, 2
// usage, 3 no daemon.
int run(std::vector<std::string> arguments, Terminal& terminal);

}  // namespace fulcrum::cli

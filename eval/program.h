#pragma once
// fulcrum-eval from its arguments to its exit status.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "scheduler/learner.h"

namespace fulcrum::eval {

struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool shows_progress = false;  // `err` is a terminal
};

// arguments: without the program's name. learner: of the strategies that learn by networks; null: this build
// has none. Returns the exit status: 0 ok, 1 failed, 2 wrong usage.
int run_program(std::vector<std::string> arguments, Terminal& terminal,
                std::shared_ptr<const scheduler::Learner> learner);

}  // namespace fulcrum::eval

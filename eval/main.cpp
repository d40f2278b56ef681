#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "eval/program.h"
#ifdef FULCRUM_WITH_TORCH
#include "networks/network_learner.h"
#endif

namespace {

// The one place where the evaluation gets its networks from.
std::shared_ptr<const fulcrum::scheduler::Learner> learner() {
#ifdef FULCRUM_WITH_TORCH
  return fulcrum::networks::make_network_learner();
#else
  return nullptr;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  fulcrum::eval::Terminal terminal{std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1};
  return fulcrum::eval::run_program(std::vector<std::string>(argv + 1, argv + argc), terminal, learner());
}

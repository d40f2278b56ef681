#include <iostream>

#include "powermode/simboard.h"

int main(int argc, char** argv) {
  return fulcrum::run_simboard(argc, argv, std::cin, std::cout, std::cerr);
}

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  fulcrum::cli::Terminal terminal{std::cin, std::cout, std::cerr};
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    terminal.redraws = true;
    if (size.ws_col > 0) terminal.columns = size.ws_col;
  }
  return fulcrum::cli::run(std::vector<std::string>(argv + 1, argv + argc), terminal);
}

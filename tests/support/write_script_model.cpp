// Writes a TorchScript model of images of 28 x 28 for tests of programs, without Python:
//   write_script_model FILE CLASSES CALL FAULT
// FAULT happens in training from forward number CALL on: memory (it runs out), device (CUDA fails) or none.

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/support/script_models.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: write_script_model FILE CLASSES CALL FAULT\n";
    return 2;
  }
  const std::string fault = argv[4];
  std::string statement = "pass";
  if (fault == "memory") statement = "assert False, 'CUDA out of memory. Tried to allocate 2.00 GiB'";
  if (fault == "device") statement = "assert False, 'CUDA error: an illegal memory access was encountered'";
  try {
    fulcrum::test::ScriptOptions options;
    options.classes = std::atoi(argv[2]);
    fulcrum::test::save_script(
        argv[1], fulcrum::test::perceptron(
                     fulcrum::test::forward_with(statement, std::atoi(argv[3]), 1 << 30), options));
  } catch (const std::exception& e) {
    std::cerr << "write_script_model: " << e.what() << '\n';
    return 1;
  }
  return 0;
}

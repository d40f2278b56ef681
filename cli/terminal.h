#pragma once
// Where a command of fulcrumctl reads and writes.

#include <cstddef>
#include <istream>
#include <ostream>

namespace fulcrum::cli {

struct Terminal {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool redraws = false;      // `out` is a terminal: lines may be drawn over
  std::size_t columns = 80;  // its width
};

}  // namespace fulcrum::cli

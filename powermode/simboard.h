#pragma once
// fulcrum-simboard: looks at a simulated board and changes it, as another program on the board would.

#include <iosfwd>

namespace fulcrum {

// Exit status: 0 done, 1 the board refused or failed, 2 the command line is wrong, 3 this machine cannot
// mount; or nvpmodel's own. Only nvpmodel reads from `in`.
int run_simboard(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace fulcrum

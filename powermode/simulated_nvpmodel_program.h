#pragma once
// The program nvpmodel on a simulated board: what it says, what it does to the nodes and how it ends are
// those of the real one's transcripts, for the real one's users to be tried on. How it behaves can be told:
// simulated_nvpmodel.h.

#include <iosfwd>
#include <string>
#include <vector>

#include "powermode/simulated_file_tree.h"

namespace fulcrum {

// Warnings and answers go to `out`, errors to `err`. Returns the exit status: 0, or 255. Does not return at
// all where it is to hang.
int run_simulated_nvpmodel(SimulatedFileTree& board, const std::vector<std::string>& arguments,
                           std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace fulcrum

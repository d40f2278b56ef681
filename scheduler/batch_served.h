#pragma once
// What is measured in a mode that a search has in mind before it has a batch size.

#include "scheduler/profile_path.h"

namespace fulcrum::scheduler {

// Of the batch sizes whose inference this mode serves in time, whatever it draws: for infer the smallest,
// which waits least, for concurrent the largest, which leaves most to training. Tried in that order. 0: none,
// or the path has ended.
int batch_served(const Problem& problem, const PowerMode& mode, ProfilePath& path);

// The inference that batch_served() looks at, and the training beside it.
void measure_in(const Problem& problem, const PowerMode& mode, ProfilePath& path);

}  // namespace fulcrum::scheduler

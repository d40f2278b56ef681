#include "scheduler/exhaustive.h"

#include "scheduler/profile_path.h"

namespace fulcrum::scheduler {

Step Exhaustive::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  const auto batches = problem.infers() ? possible_batch_sizes(problem) : std::vector<int>{};
  if (problem.infers() && batches.empty()) return path.conclude();
  for (std::size_t number = 0; number < problem.grid.size() && !path.ended(); ++number) {
    const PowerMode mode = problem.grid.mode(number);
    if (problem.trains()) path.training_at(mode);
    for (const int batch : batches)
      path.at(WorkloadTask::inference, mode, batch);
  }
  return path.conclude();
}

}  // namespace fulcrum::scheduler

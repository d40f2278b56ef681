#include "scheduler/batch_served.h"

#include <algorithm>

#include "scheduler/candidate.h"

namespace fulcrum::scheduler {

int batch_served(const Problem& problem, const PowerMode& mode, ProfilePath& path) {
  auto batches = possible_batch_sizes(problem);
  if (problem.kind == ProblemKind::concurrent) std::reverse(batches.begin(), batches.end());
  for (const int batch : batches) {
    const Profile* profile = path.at(WorkloadTask::inference, mode, batch);
    if (profile == nullptr) return 0;
    const Candidate c = make_candidate(problem, nullptr, profile);
    if (c.latency_met && c.stable) return batch;
  }
  return 0;
}

void measure_in(const Problem& problem, const PowerMode& mode, ProfilePath& path) {
  if (problem.infers() && batch_served(problem, mode, path) == 0) return;
  if (problem.trains()) path.training_at(mode);
}

}  // namespace fulcrum::scheduler

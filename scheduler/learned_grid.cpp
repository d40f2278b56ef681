#include "scheduler/learned_grid.h"

#include <map>
#include <utility>

namespace fulcrum::scheduler {

std::vector<int> batch_sizes_of(const Problem& problem, WorkloadTask task) {
  if (task == WorkloadTask::training) return {problem.training_batch_size};
  return problem.inference_batch_sizes;
}

Expected<LearnedGrid> learn_grid(const Problem& problem, WorkloadTask task,
                                 const std::vector<Profile>& samples, const Learner& learner,
                                 std::uint64_t seed) {
  LearnedGrid grid;
  grid.batch_sizes = batch_sizes_of(problem, task);
  std::vector<LearnerPoint> points;
  points.reserve(problem.grid.size() * grid.batch_sizes.size());
  for (std::size_t number = 0; number < problem.grid.size(); ++number) {
    const PowerMode mode = problem.grid.mode(number);
    for (const int batch : grid.batch_sizes)
      points.push_back({mode, batch});
  }
  FULCRUM_TRY_ASSIGN(learned, learner.learn(samples, points, seed));
  std::map<std::pair<PowerMode, int>, const Profile*> measured;
  for (const auto& sample : samples)
    measured[{sample.mode, sample.batch_size}] = &sample;
  grid.points.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto found = measured.find({points[i].mode, points[i].batch_size});
    if (found != measured.end()) {
      grid.points[i] = {found->second->p50_ms, found->second->power_w, 0, 0, true};
    } else {
      const LearnedPoint& p = learned[i];
      grid.points[i] = {p.time_ms, p.power_w, p.time_spread, p.power_spread, false};
    }
  }
  return grid;
}

}  // namespace fulcrum::scheduler

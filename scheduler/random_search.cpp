#include "scheduler/random_search.h"

#include <numeric>
#include <set>
#include <utility>

#include "common/random_bits.h"
#include "scheduler/profile_path.h"

namespace fulcrum::scheduler {

Step RandomSearch::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  const std::size_t batches = problem.infers() ? problem.inference_batch_sizes.size() : 1;
  std::vector<std::size_t> ways(problem.grid.size() * batches);
  std::iota(ways.begin(), ways.end(), std::size_t{0});
  RandomBits random(mixed_bits(seed_, {static_cast<std::uint64_t>(problem.kind)}));
  std::set<PowerMode> trained_in;
  int profiles_left = most_profiles_;
  for (std::size_t i = 0; i < ways.size() && !path.ended(); ++i) {
    std::swap(ways[i], ways[i + random.below(ways.size() - i)]);
    const PowerMode mode = problem.grid.mode(ways[i] / batches);
    const bool trains = problem.trains() && trained_in.insert(mode).second;
    profiles_left -= int{trains} + int{problem.infers()};
    if (profiles_left < 0) break;
    if (trains) path.training_at(mode);
    if (problem.infers())
      path.at(WorkloadTask::inference, mode, problem.inference_batch_sizes[ways[i] % batches]);
  }
  return path.conclude();
}

}  // namespace fulcrum::scheduler

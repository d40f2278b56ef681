#include "scheduler/binary_search.h"

#include "scheduler/batch_served.h"
#include "scheduler/candidate.h"
#include "scheduler/level_range.h"
#include "scheduler/profile_path.h"

namespace fulcrum::scheduler {

namespace {

constexpr int kRounds = 2;
constexpr Dimension kCpuClockFirst[] = {Dimension::cpu_khz, Dimension::gpu_hz, Dimension::cpu_cores,
                                        Dimension::emc_hz};

// Whether a mode keeps the power budget; meaningless when the path has ended.
bool inside_power(const Problem& problem, const PowerMode& mode, int batch, ProfilePath& path) {
  const Profile* training = problem.trains() ? path.training_at(mode) : nullptr;
  const Profile* inference = problem.infers() ? path.at(WorkloadTask::inference, mode, batch) : nullptr;
  return !path.ended() && make_candidate(problem, training, inference).power_met;
}

void walk(const Problem& problem, int batch, ProfilePath& path) {
  PerDimension<std::size_t> level{};
  PerDimension<LevelRange> range{};
  for (std::size_t d = 0; d < kDimensions; ++d) {
    const std::size_t levels = problem.grid.levels(static_cast<Dimension>(d)).size();
    level[d] = (levels - 1) / 2;
    range[d] = LevelRange::of(levels);
  }
  bool inside = inside_power(problem, problem.grid.mode_at(level), batch, path);
  for (int round = 0; round < kRounds; ++round) {
    for (const Dimension dimension : kCpuClockFirst) {
      const std::size_t d = index(dimension);
      if (range[d].frozen) continue;
      level[d] = range[d].narrow(level[d], inside);
      inside = inside_power(problem, problem.grid.mode_at(level), batch, path);
      if (path.ended()) return;
    }
  }
}

}  // namespace

Step BinarySearch::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  const int batch = problem.infers() ? batch_served(problem, problem.grid.highest(), path) : 0;
  if (!problem.infers() || batch > 0) walk(problem, batch, path);
  return path.conclude();
}

}  // namespace fulcrum::scheduler

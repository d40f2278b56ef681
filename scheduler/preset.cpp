#include "scheduler/preset.h"

#include "powermode/presets.h"
#include "scheduler/batch_served.h"

namespace fulcrum::scheduler {

namespace {

PowerMode on_grid(const ModeGrid& grid, const PowerMode& preset) {
  const auto below = [&grid](Dimension dimension, std::int64_t value) {
    return powermode::level_below(grid.levels(dimension), std::optional<std::int64_t>(value));
  };
  return {static_cast<int>(below(Dimension::cpu_cores, preset.cpu_cores)),
          below(Dimension::cpu_khz, preset.cpu_khz), below(Dimension::gpu_hz, preset.gpu_hz),
          below(Dimension::emc_hz, preset.emc_hz)};
}

}  // namespace

Step PresetSearch::next(const Problem& problem, const ProfileSet& profiles) const {
  ProfilePath path(problem, profiles);
  for (const auto& preset : presets_)
    measure_in(problem, on_grid(problem.grid, preset), path);
  return path.conclude();
}

}  // namespace fulcrum::scheduler

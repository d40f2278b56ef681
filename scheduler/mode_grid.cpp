#include "scheduler/mode_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fulcrum::scheduler {

namespace {

constexpr PerDimension<const char*> kNames{"cpu_cores", "cpu_khz", "gpu_hz", "emc_hz"};

PowerMode mode_of(const PerDimension<std::int64_t>& values) {
  return {static_cast<int>(values[0]), values[1], values[2], values[3]};
}

PerDimension<std::int64_t> values_of(const PowerMode& mode) {
  return {mode.cpu_cores, mode.cpu_khz, mode.gpu_hz, mode.emc_hz};
}

std::size_t step_between_levels(std::size_t have, std::size_t want) {
  if (want <= 1 || have <= want) return 1;
  const auto nearest =
      static_cast<std::size_t>(std::lround(static_cast<double>(have) / static_cast<double>(want)));
  return std::max<std::size_t>(1, std::min(nearest, (have - 1) / (want - 1)));
}

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& levels, int most) {
  const auto want = static_cast<std::size_t>(std::max(1, most));
  const std::size_t step = step_between_levels(levels.size(), want);
  std::vector<std::int64_t> kept;
  for (std::size_t from_top = 0; from_top < levels.size() && kept.size() < want; from_top += step) {
    kept.push_back(levels[levels.size() - 1 - from_top]);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace

Expected<ModeGrid> ModeGrid::make(PerDimension<std::vector<std::int64_t>> levels) {
  for (std::size_t d = 0; d < kDimensions; ++d) {
    const auto& own = levels[d];
    const bool ascending = std::adjacent_find(own.begin(), own.end(), std::greater_equal<>()) == own.end();
    if (own.empty() || own.front() <= 0 || !ascending) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("a grid of power modes: the levels of {} are not positive and ascending", kNames[d]));
    }
  }
  return ModeGrid(std::move(levels));
}

Expected<ModeGrid> ModeGrid::of_board(const BoardLevels& levels) {
  return make({std::vector<std::int64_t>(levels.cpu_cores.begin(), levels.cpu_cores.end()), levels.cpu_khz,
               levels.gpu_hz, levels.emc_hz});
}

std::size_t ModeGrid::size() const {
  std::size_t product = 1;
  for (const auto& own : levels_)
    product *= own.size();
  return product;
}

PowerMode ModeGrid::mode(std::size_t number) const {
  PerDimension<std::size_t> level{};
  for (std::size_t d = kDimensions; d-- > 0;) {
    level[d] = number % levels_[d].size();
    number /= levels_[d].size();
  }
  return mode_at(level);
}

PowerMode ModeGrid::mode_at(const PerDimension<std::size_t>& level) const {
  PerDimension<std::int64_t> values{};
  for (std::size_t d = 0; d < kDimensions; ++d)
    values[d] = levels_[d][level[d]];
  return mode_of(values);
}

bool ModeGrid::contains(const PowerMode& mode) const {
  const auto values = values_of(mode);
  for (std::size_t d = 0; d < kDimensions; ++d) {
    if (!std::binary_search(levels_[d].begin(), levels_[d].end(), values[d])) return false;
  }
  return true;
}

PowerMode ModeGrid::highest() const {
  PerDimension<std::int64_t> values{};
  for (std::size_t d = 0; d < kDimensions; ++d)
    values[d] = levels_[d].back();
  return mode_of(values);
}

PowerMode ModeGrid::middle() const {
  PerDimension<std::size_t> level{};
  for (std::size_t d = 0; d < kDimensions; ++d)
    level[d] = (levels_[d].size() - 1) / 2;
  return mode_at(level);
}

ModeGrid thinned(const ModeGrid& grid, const PerDimension<int>& most_levels) {
  PerDimension<std::vector<std::int64_t>> levels;
  for (std::size_t d = 0; d < kDimensions; ++d)
    levels[d] = thinned(grid.levels(static_cast<Dimension>(d)), most_levels[d]);
  auto thin = ModeGrid::make(std::move(levels));
  return thin ? *thin : ModeGrid();  // only a grid without modes has no levels to keep
}

}  // namespace fulcrum::scheduler

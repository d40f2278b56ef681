#include "scheduler/mode_sample.h"

#include <algorithm>

namespace fulcrum::scheduler {

std::vector<std::size_t> Dice::even(std::size_t levels, std::size_t count) {
  std::vector<std::size_t> values(count);
  // Where count is no multiple of the levels, a random place in each of `count` equal strips says which come
  // once more.
  constexpr std::size_t kPlaces = 1 << 16;
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::min(levels - 1, levels * (i * kPlaces + below(kPlaces)) / (count * kPlaces));
  shuffle(values);
  return values;
}

std::vector<PowerMode> spread_modes(const ModeGrid& grid, std::size_t count, Dice& dice) {
  std::vector<PowerMode> modes;
  const auto add = [&modes, count](const PowerMode& mode) {
    if (modes.size() < count && std::find(modes.begin(), modes.end(), mode) == modes.end())
      modes.push_back(mode);
  };
  add(grid.highest());
  add(grid.mode(0));
  if (count <= modes.size()) return modes;
  const std::size_t rest = count - modes.size();
  PerDimension<std::vector<std::size_t>> levels;
  for (std::size_t d = 0; d < kDimensions; ++d)
    levels[d] = dice.even(grid.levels(static_cast<Dimension>(d)).size(), rest);
  for (std::size_t i = 0; i < rest; ++i)
    add(grid.mode_at({levels[0][i], levels[1][i], levels[2][i], levels[3][i]}));
  return modes;
}

}  // namespace fulcrum::scheduler

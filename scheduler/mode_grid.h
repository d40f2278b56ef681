#pragma once
// The power modes that a problem may choose from: a few levels per dimension, and every combination of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "powermode/board.h"
#include "powermode/power_mode.h"

namespace fulcrum::scheduler {

enum class Dimension { cpu_cores, cpu_khz, gpu_hz, emc_hz };
inline constexpr std::size_t kDimensions = 4;

// One value per dimension, in the order of the enumeration.
template <class T>
using PerDimension = std::array<T, kDimensions>;

inline constexpr std::size_t index(Dimension dimension) {
  return static_cast<std::size_t>(dimension);
}

class ModeGrid {
 public:
  ModeGrid() = default;  // without modes

  // invalid_argument unless each dimension has levels, all positive and ascending.
  [[nodiscard]] static Expected<ModeGrid> make(PerDimension<std::vector<std::int64_t>> levels);
  [[nodiscard]] static Expected<ModeGrid> of_board(const BoardLevels& levels);

  Json to_json() const;  // the levels by name, as in PowerMode's JSON
  [[nodiscard]] static Expected<ModeGrid> from_json(const Json& json);

  const std::vector<std::int64_t>& levels(Dimension dimension) const { return levels_[index(dimension)]; }

  std::size_t size() const;                  // number of modes
  PowerMode mode(std::size_t number) const;  // 0 ... size() - 1, in ascending order
  PowerMode mode_at(const PerDimension<std::size_t>& level) const;
  bool contains(const PowerMode& mode) const;
  PowerMode highest() const;
  PowerMode middle() const;  // the lower one where there are two

  friend bool operator==(const ModeGrid& a, const ModeGrid& b) { return a.levels_ == b.levels_; }

 private:
  explicit ModeGrid(PerDimension<std::vector<std::int64_t>> levels) : levels_(std::move(levels)) {}

  PerDimension<std::vector<std::int64_t>> levels_;
};

// The evaluation grid of searches.md section 2: 3 x 7 x 7 x 3 = 441 modes.
inline constexpr PerDimension<int> kSearchGridLevels{3, 7, 7, 3};

// At most so many levels per dimension, the highest and equal steps down from it; what is left over at the
// bottom goes, where a board is slow and saves little. A step of N / n levels (to the nearest), shorter if
// n of them would not fit. On a Jetson AGX Orin this gives the evaluation grid.
ModeGrid thinned(const ModeGrid& grid, const PerDimension<int>& most_levels = kSearchGridLevels);

}  // namespace fulcrum::scheduler

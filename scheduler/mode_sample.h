#pragma once
// Modes to begin with when nothing is known.

#include <cstddef>
#include <random>
#include <vector>

#include "scheduler/mode_grid.h"

namespace fulcrum::scheduler {

// The same on every machine for a seed, which the standard's own distributions do not promise.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(i)]);
  }

  // `count` values of 0 ... levels - 1, each as often as any other, or once more.
  std::vector<std::size_t> even(std::size_t levels, std::size_t count);

 private:
  std::mt19937_64 engine_;
};

// At most `count` distinct modes: the highest, the lowest, between which the power of all others lies, and a
// Latin hypercube of the rest: in each dimension every level as often as any other.
std::vector<PowerMode> spread_modes(const ModeGrid& grid, std::size_t count, Dice& dice);

}  // namespace fulcrum::scheduler

#pragma once
// A binary search among the levels of one dimension, a step at a time.

#include <algorithm>
#include <cstddef>

namespace fulcrum::scheduler {

// The levels that are not ruled out: first ... last. Frozen: there is nothing left to search.
struct LevelRange {
  std::size_t first = 0;
  std::size_t last = 0;
  bool frozen = false;

  static LevelRange of(std::size_t levels) { return {0, levels - 1, levels == 1}; }

  // The level to go to from `current`: half way up or down. Those beyond `current` on that side remain.
  std::size_t narrow(std::size_t current, bool upwards) {
    const std::size_t i = current - first;
    const std::size_t next = first + (upwards ? (i + (last - first) + 1) / 2 : i / 2);
    if (upwards) {
      first = std::min(current + 1, last);
    } else {
      last = current > first ? current - 1 : first;
    }
    frozen = first == last;
    return next;
  }
};

}  // namespace fulcrum::scheduler

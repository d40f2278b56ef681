#pragma once

#include <cmath>

namespace fulcrum {

// For rates, times and powers, where neither nothing nor what is no number makes sense.
inline bool finite_and_positive(double value) {
  return value > 0 && std::isfinite(value);
}

}  // namespace fulcrum

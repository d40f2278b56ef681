#pragma once
// Measurements that differ from the truth: times and powers multiplied by exp(sigma z), z normal. What is
// drawn follows from the seed, from what is measured and from how often it was, never from who measured
// before, so that a run with any number of threads sees the same.

#include <cstdint>
#include <string>

#include "eval/bench.h"

namespace fulcrum::eval {

struct Noise {
  double time = 0;  // sigma: .03 is about 3 %
  double power = 0;
  std::uint64_t seed = 1;

  bool none() const { return time == 0 && power == 0; }
  scheduler::Profile measured(const std::string& workload, const scheduler::Profile& exact,
                              std::uint64_t repetition) const;
  // Every row measured once.
  Bench measured(const Bench& exact, std::uint64_t repetition) const;
};

}  // namespace fulcrum::eval

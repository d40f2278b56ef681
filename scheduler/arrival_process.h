#pragma once
// When requests arrive: the same sequence for the same seed on every machine, so that a replay can be
// repeated and taken up again in the middle.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace fulcrum::scheduler {

class ArrivalProcess {
 public:
  static const std::vector<std::string>& kinds();  // "periodic", "poisson"

  // invalid_argument for an unknown kind or a rate that is not positive and finite.
  [[nodiscard]] static Expected<ArrivalProcess> make(const std::string& kind, double rate_hz,
                                                     std::uint64_t seed);

  // Offset of the next arrival from the start of the process, never smaller than the one before. The first
  // arrival is one interval after the start.
  Duration next();
  void skip(std::uint64_t arrivals);

 private:
  enum class Kind { periodic, poisson };
  ArrivalProcess(Kind kind, double rate_hz, std::uint64_t seed)
      : kind_(kind), rate_hz_(rate_hz), random_(seed) {}
  double next_interval_s();

  Kind kind_;
  double rate_hz_;
  std::mt19937_64 random_;
  std::uint64_t count_ = 0;
  double offset_s_ = 0;
};

}  // namespace fulcrum::scheduler

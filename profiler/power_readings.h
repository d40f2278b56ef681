#pragma once
// What a power sensor showed while a probe ran, and its mean over one interval of that time. Pure.

#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"

namespace fulcrum::profiler {

class PowerReadings {
 public:
  struct Limits {
    Duration averaging_window{};  // a reading is the mean of so much time before it
    Duration longest_gap{};       // two readings further apart: one between them is missing
    int fewest = 1;               // readings in an interval
  };

  // In any order. A reading that is not a power above 0 W counts as missing.
  void add(double watts, TimePoint at);
  void add_missing(const std::string& why, TimePoint at);

  // The mean, or what is wrong with the readings.
  struct Mean {
    enum class Fault { none, missing, too_few };
    Fault fault = Fault::none;
    std::string message;
    double watts = 0;
  };

  // The time-weighted mean over exactly [from, to]: each reading stands for the time since the one before it,
  // the first for the time since `from`, the last also for the rest. Only readings whose averaging window
  // lies inside the interval count: the others have seen another load.
  Mean mean_over(TimePoint from, TimePoint to, const Limits& limits) const;

 private:
  struct Reading {
    double watts = 0;
    TimePoint at{};
  };
  struct Missing {
    std::string why;
    TimePoint at{};
  };

  std::vector<Reading> inside(TimePoint from, TimePoint to) const;
  std::optional<std::string> find_missing(const std::vector<Reading>& inside, TimePoint from, TimePoint to,
                                          const Limits& limits) const;

  std::vector<Reading> readings_;
  std::vector<Missing> missing_;
};

}  // namespace fulcrum::profiler

#pragma once
// The problems of a sweep: every combination of budgets and arrival rates (searches.md section 6).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eval/bench.h"
#include "scheduler/problem.h"

namespace fulcrum::eval {

struct Range {
  double first = 0;
  double last = 0;
  double step = 1;

  double count() const;
  std::vector<double> values() const;
  // "10:50:1", or one number.
  [[nodiscard]] static Expected<Range> parse(const std::string& text);
};

struct Budgets {
  Range power_w;
  Range latency_ms;
  Range rate_hz;

  double problems() const { return power_w.count() * latency_ms.count() * rate_hz.count(); }
};

// 10 ... 50 W; latencies and rates by the kind of problem.
Budgets default_budgets(scheduler::ProblemKind kind);

// By power, then latency, then rate. The times of the tables decide as they are.
std::vector<scheduler::Problem> problems_of(const Bench& bench, const Budgets& budgets,
                                            scheduler::Policy policy = scheduler::Policy::managed);

// 0 ... count - 1, or the part of it that the seed draws (at least one), ascending.
std::vector<std::size_t> sampled(std::size_t count, double part, std::uint64_t seed);

// 0 ... count - 1 in an order that the seed draws.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

}  // namespace fulcrum::eval

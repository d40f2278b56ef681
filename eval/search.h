#pragma once
// One search: a strategy that is asked until it answers, every probe answered from the tables of a bench.

#include <cstdint>
#include <vector>

#include "eval/noise.h"
#include "eval/oracle.h"
#include "scheduler/strategy.h"

namespace fulcrum::eval {

struct SearchLog {
  // Measure: the search stopped there, at a gap of the table or because it would not stop by itself.
  scheduler::Step end;
  int profiles = 0;                          // measured by this search
  int modes = 0;                             // distinct ones among them
  std::vector<scheduler::Measure> measured;  // in order; of the exhaustive search none
  int decisions = 0;
  double deciding_ms = 0;
};

// Pools what is measured with `known`. The strategy is told how large the noise is. `repetition` numbers the
// searches for the noise.
SearchLog run_search(const scheduler::Strategy& strategy, const scheduler::Problem& asked, const Bench& bench,
                     const Noise& noise, std::uint64_t repetition, scheduler::ProfileSet& known);

// Without noise the same end as the exhaustive strategy comes to, without stepping through the table. With
// noise nothing is measured again. `oracle`: of what was measured.
SearchLog run_exhaustive_search(const scheduler::Problem& asked, const Bench& measured, const Noise& noise,
                                const Oracle& oracle);

}  // namespace fulcrum::eval

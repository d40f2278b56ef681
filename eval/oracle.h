#pragma once
// The optimum of a problem over a whole table: what scheduler::choose() gives when everything is profiled,
// a hundred times sooner.

#include <optional>
#include <vector>

#include "eval/bench.h"
#include "scheduler/candidate.h"

namespace fulcrum::eval {

class Oracle {
 public:
  // The bench outlives it.
  explicit Oracle(const Bench& bench);

  // A problem of the bench's kind and grid. None: no way to run keeps the budgets.
  std::optional<scheduler::Candidate> best(const scheduler::Problem& problem) const;

 private:
  // One mode and batch size.
  struct Way {
    const scheduler::Profile* training = nullptr;
    const scheduler::Profile* inference = nullptr;
    double power_w = 0;
  };

  // Of the problem's objective, the more the better: no less than what the way gives. None: it breaks a
  // budget.
  static std::optional<double> at_most(const scheduler::Problem& problem, const Way& way);

  std::vector<Way> ways_;
};

}  // namespace fulcrum::eval

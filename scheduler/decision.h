#pragma once
// What is done about a problem: a profile is measured, or the board settles in a mode. Also when no mode
// keeps every budget: inference goes on then, as well as it can, and training waits.

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "scheduler/choice.h"
#include "scheduler/problem.h"
#include "scheduler/strategy.h"

namespace fulcrum::scheduler {

struct SearchLimits {
  // A strategy gets no profile in a further mode once so many modes are profiled, as long as one of them at
  // least is a way to run; then the best of the known is the answer. None: as many as it asks for.
  std::optional<int> most_modes;
};

struct Settlement {
  Problem problem;                       // as it was asked
  std::optional<Choice> choice;          // of the problem; without it `infeasible` says why
  std::optional<Infeasible> infeasible;  // with `instead`, if something at least can run

  // What runs when the problem is infeasible: inference alone, in the mode that keeps every budget with the
  // least power; if there is none, in the one where it is fastest inside the power budget; if there is none
  // either, in the one that draws least. A problem of training alone: nothing, in the mode that draws least.
  struct Instead {
    PowerMode mode;
    int batch_size = 0;  // of inference; 0: nothing runs
    double power_w = 0;
    bool keeps_budgets = false;
  };
  std::optional<Instead> instead;

  std::optional<PowerMode> mode() const;
};

// What a strategy advises: a profile to measure, or nothing more.
struct NothingMore {};
using Advice = std::variant<Measure, NothingMore>;

// An answer that is only predicted is measured before it counts.
Advice advice_of(const Strategy& strategy, const Problem& problem, const ProfileSet& profiles);

// Asks for advice. None: it is not known yet.
using Adviser = std::function<std::optional<Advice>(const Problem& problem, const ProfileSet& profiles)>;
Adviser adviser(const Strategy& strategy);  // which has to outlive it

// There is no deciding before the advice on this is known.
struct Unadvised {
  Problem problem;
  ProfileSet profiles;
};

using Decision = std::variant<Measure, Settlement, Unadvised>;

// `stand_ins` are what is assumed of modes that cannot be measured now, so that a strategy can walk on; they
// are never an answer. The problem must have passed check().
Decision decide(const Problem& problem, const Adviser& adviser, const ProfileSet& profiles,
                const ProfileSet& stand_ins, const SearchLimits& limits);

// The same from what is profiled alone: nothing is measured. For a rate, a budget or a board that has changed
// while jobs run, `running` says how (choose()).
Settlement settle(const Problem& problem, const ProfileSet& profiles,
                  const std::optional<Running>& running = std::nullopt);

}  // namespace fulcrum::scheduler

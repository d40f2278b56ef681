#pragma once
// A search for the best power mode. It never measures and remembers nothing: the next step follows from the
// problem and the profiles alone, so that a search goes on after a crash where it was, takes profiles from
// wherever they come, and serves the daemon, the evaluation and the tests alike.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "scheduler/choice.h"
#include "scheduler/learner.h"
#include "scheduler/problem.h"
#include "scheduler/profile.h"

namespace fulcrum::scheduler {

// To be measured and added to the profiles before the next call.
struct Measure {
  WorkloadTask task = WorkloadTask::training;
  PowerMode mode;
  int batch_size = 0;

  std::string to_string() const;  // "training in 8 cores, ..., batch 16"
};

struct Answer {
  Choice choice;
};

using Step = std::variant<Measure, Answer, Infeasible>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual std::string_view name() const = 0;

  // Deterministic. Never asks for a profile that is there. The problem must have passed check().
  virtual Step next(const Problem& problem, const ProfileSet& profiles) const = 0;

  // What it measures follows from the grid and the kind of problem, not from the budgets, so that one search
  // serves every later problem of that kind.
  virtual bool serves_all_budgets() const { return false; }
};

// What some strategies need beside the problem.
struct StrategyTools {
  std::uint64_t seed = 1;                  // of those that choose at random
  std::vector<PowerMode> presets;          // the vendor's, for "preset"
  std::shared_ptr<const Learner> learner;  // for those that learn by networks
};

// "gmd", "exhaustive", ...; a name that ends in "-N" stands for any number in its place.
const std::vector<std::string>& strategy_names();

struct StrategyTraits {
  bool learns = false;             // by a learner, which make_strategy has to be given
  std::optional<int> most_probes;  // that it asks for in a problem of a kind; none: it depends
};
// invalid_argument for an unknown name.
[[nodiscard]] Expected<StrategyTraits> strategy_traits(const std::string& name, ProblemKind kind);

// "rnd50" is "rnd-50". invalid_argument for an unknown name, or where a tool is missing that it needs.
[[nodiscard]] Expected<std::unique_ptr<Strategy>> make_strategy(const std::string& name,
                                                                const StrategyTools& tools = {});

}  // namespace fulcrum::scheduler

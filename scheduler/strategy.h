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

// To be measured, and pooled with what is known of it, before the next call.
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

  // Deterministic. Asks for a profile that is there only where the problem's noise asks for a second or third
  // measurement. The problem must have passed check().
  virtual Step next(const Problem& problem, const ProfileSet& profiles) const = 0;

  // It asks for no more than so many measurements beside confirmations; by default: everything.
  virtual std::size_t most_probes(const Problem& problem) const;

  // What it measures follows from the grid and the kind of problem, not from the budgets, so that one search
  // serves every later problem of that kind.
  virtual bool serves_all_budgets() const { return false; }
};

struct SearchPriors;

// What some strategies need beside the problem.
struct StrategyTools {
  std::uint64_t seed = 1;                      // of those that choose at random
  std::vector<PowerMode> presets;              // the vendor's, for "preset"
  std::shared_ptr<const Learner> learner;      // for those that learn by networks
  std::shared_ptr<const SearchPriors> priors;  // of "rgs"; null: those of the AGX Orin
};

// Of a board by the id of its description; of one that nothing is known of, from what it draws at least and
// at most.
std::shared_ptr<const SearchPriors> priors_of_board(std::string_view id, double idle_w, double most_w);

// The same, moved towards what other workloads turned out to be (prior_learning.h); each set is of one.
std::shared_ptr<const SearchPriors> learned_priors(const std::shared_ptr<const SearchPriors>& base,
                                                   const std::vector<ProfileSet>& workloads,
                                                   const MeasurementNoise& noise);

// "gmd", "exhaustive", ...; a name that ends in "-N" stands for any number in its place.
const std::vector<std::string>& strategy_names();

struct StrategyTraits {
  bool learns = false;  // by a learner, which make_strategy has to be given
  // That a strategy which learns asks for in a problem of a kind, beside confirmations; Strategy::most_probes
  // says it of the others.
  std::optional<int> most_probes;
};
// invalid_argument for an unknown name.
[[nodiscard]] Expected<StrategyTraits> strategy_traits(const std::string& name, ProblemKind kind);

// "rnd50" is "rnd-50". invalid_argument for an unknown name, or where a tool is missing that it needs.
[[nodiscard]] Expected<std::unique_ptr<Strategy>> make_strategy(const std::string& name,
                                                                const StrategyTools& tools = {});

}  // namespace fulcrum::scheduler

#include "scheduler/strategy.h"

#include <fmt/format.h>

#include <charconv>

#include "common/suggest.h"
#include "scheduler/als.h"
#include "scheduler/binary_search.h"
#include "scheduler/exhaustive.h"
#include "scheduler/gmd.h"
#include "scheduler/maxn.h"
#include "scheduler/nn.h"
#include "scheduler/preset.h"
#include "scheduler/prior_learning.h"
#include "scheduler/random_search.h"
#include "scheduler/rgs.h"

namespace fulcrum::scheduler {

namespace {

using Made = Expected<std::unique_ptr<Strategy>>;

// `number`: the N of the name.
template <class T>
Made make(int /*number*/, const StrategyTools& /*tools*/) {
  return std::make_unique<T>();
}

Made make_rgs(int /*number*/, const StrategyTools& tools) {
  return std::make_unique<Rgs>(tools.priors ? *tools.priors : SearchPriors::of_agx_orin());
}

Made make_random(int number, const StrategyTools& tools) {
  return std::make_unique<RandomSearch>(number, tools.seed);
}

Made make_preset(int /*number*/, const StrategyTools& tools) {
  if (tools.presets.empty())
    return fail(ErrorCode::invalid_argument,
                "the search strategy 'preset' needs presets, and there are none");
  return std::make_unique<PresetSearch>(tools.presets);
}

template <class T>
Made make_learning(int number, const StrategyTools& tools) {
  if (!tools.learner) {
    return fail(ErrorCode::invalid_argument,
                "this search learns by neural networks, which are not at hand here",
                "it needs a build with LibTorch");
  }
  return std::make_unique<T>(number, tools);
}

struct Entry {
  std::string_view name;
  Made (*make)(int number, const StrategyTools& tools);
  bool learns = false;
};
constexpr Entry kStrategies[] = {{kRgsName, make_rgs},
                                 {kGmdName, make<Gmd>},
                                 {kExhaustiveName, make<Exhaustive>},
                                 {kRandomSearchName, make_random},
                                 {kBinarySearchName, make<BinarySearch>},
                                 {kMaxnName, make<Maxn>},
                                 {kPresetSearchName, make_preset},
                                 {kAlsName, make_learning<Als>, true},
                                 {kAlsNName, make_learning<Als>, true},
                                 {kNnName, make_learning<Nn>, true}};

// "rnd-50" and "rnd50" are "rnd-N" and 50.
struct ParsedName {
  std::string pattern;
  int number = 0;
};

ParsedName parse(const std::string& name) {
  const auto last_other = name.find_last_not_of("0123456789");
  const std::size_t digits = last_other == std::string::npos ? 0 : last_other + 1;
  ParsedName parsed{name, 0};
  if (digits == name.size()) return parsed;
  const auto read = std::from_chars(name.data() + digits, name.data() + name.size(), parsed.number);
  if (read.ec != std::errc() || parsed.number < 1) return parsed;
  parsed.pattern = name.substr(0, digits);
  parsed.pattern += parsed.pattern.empty() || parsed.pattern.back() != '-' ? "-N" : "N";
  return parsed;
}

Expected<const Entry*> find(const std::string& name, const ParsedName& parsed) {
  for (const auto& entry : kStrategies) {
    const bool wants_number = entry.name.back() == 'N';
    if (entry.name == parsed.pattern && wants_number == (parsed.number > 0)) return &entry;
  }
  return fail(ErrorCode::invalid_argument, fmt::format("unknown search strategy '{}'", name),
              did_you_mean(name, strategy_names()));
}

}  // namespace

std::shared_ptr<const SearchPriors> priors_of_board(std::string_view id, double idle_w, double most_w) {
  const auto* known = SearchPriors::of_board(id);
  return std::make_shared<SearchPriors>(known != nullptr ? *known
                                                         : SearchPriors::of_other_board(idle_w, most_w));
}

std::shared_ptr<const SearchPriors> learned_priors(const std::shared_ptr<const SearchPriors>& base,
                                                   const std::vector<ProfileSet>& workloads,
                                                   const MeasurementNoise& noise) {
  return std::make_shared<SearchPriors>(learned_priors(*base, workloads, noise));
}

std::string Measure::to_string() const {
  return fmt::format("{} in {}, batch {}", fulcrum::to_string(task), mode.to_string(), batch_size);
}

std::size_t Strategy::most_probes(const Problem& problem) const {
  const std::size_t per_mode =
      (problem.trains() ? 1 : 0) + (problem.infers() ? problem.inference_batch_sizes.size() : 0);
  return problem.grid.size() * per_mode;
}

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& entry : kStrategies)
      all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

Expected<StrategyTraits> strategy_traits(const std::string& name, ProblemKind kind) {
  const auto parsed = parse(name);
  FULCRUM_TRY_ASSIGN(entry, find(name, parsed));
  StrategyTraits traits;
  traits.learns = entry->learns;
  if (!traits.learns) return traits;
  if (parsed.number > 0) {
    traits.most_probes = parsed.number;
  } else if (entry->name == kAlsName) {
    traits.most_probes = default_als_probes(kind);
  }
  return traits;
}

Expected<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const StrategyTools& tools) {
  const auto parsed = parse(name);
  FULCRUM_TRY_ASSIGN(entry, find(name, parsed));
  return entry->make(parsed.number, tools);
}

}  // namespace fulcrum::scheduler

#include "scheduler/strategy.h"

#include <fmt/format.h>

#include <charconv>

#include "common/suggest.h"
#include "scheduler/als.h"
#include "scheduler/exhaustive.h"
#include "scheduler/gmd.h"
#include "scheduler/nn.h"

namespace fulcrum::scheduler {

namespace {

using Made = Expected<std::unique_ptr<Strategy>>;

// `number`: the N of the name.
template <class T>
Made make(int /*number*/, const StrategyTools& /*tools*/) {
  return std::make_unique<T>();
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
constexpr Entry kStrategies[] = {{kGmdName, make<Gmd>},
                                 {kAlsName, make_learning<Als>, true},
                                 {kAlsNName, make_learning<Als>, true},
                                 {kNnName, make_learning<Nn>, true},
                                 {kExhaustiveName, make<Exhaustive>}};

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

std::string Measure::to_string() const {
  return fmt::format("{} in {}, batch {}", fulcrum::to_string(task), mode.to_string(), batch_size);
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

#include "scheduler/strategy.h"

#include <fmt/format.h>

#include "common/suggest.h"
#include "scheduler/exhaustive.h"
#include "scheduler/gmd.h"

namespace fulcrum::scheduler {

namespace {

template <class T>
std::unique_ptr<Strategy> make() {
  return std::make_unique<T>();
}

struct Entry {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)();
};
constexpr Entry kStrategies[] = {{kGmdName, make<Gmd>}, {kExhaustiveName, make<Exhaustive>}};

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

Expected<std::unique_ptr<Strategy>> make_strategy(const std::string& name) {
  for (const auto& entry : kStrategies) {
    if (entry.name == name) return entry.make();
  }
  return fail(ErrorCode::invalid_argument, fmt::format("unknown search strategy '{}'", name),
              did_you_mean(name, strategy_names()));
}

}  // namespace fulcrum::scheduler

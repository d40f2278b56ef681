#include "eval/policy.h"

#include <fmt/format.h>

#include "common/suggest.h"

namespace fulcrum::eval {

using scheduler::Policy;

namespace {

struct Entry {
  std::string_view name;
  Policy policy;
};
constexpr Entry kPolicies[] = {{"managed", Policy::managed}, {"slack", Policy::slack}};

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kPolicies));
  for (const auto& entry : kPolicies)
    names.emplace_back(entry.name);
  return names;
}

std::string_view name_of(Policy policy) {
  for (const auto& entry : kPolicies) {
    if (entry.policy == policy) return entry.name;
  }
  return "";
}

Expected<Policy> parse_policy(const std::string& name) {
  for (const auto& entry : kPolicies) {
    if (entry.name == name) return entry.policy;
  }
  return fail(ErrorCode::invalid_argument, fmt::format("unknown policy '{}'", name),
              did_you_mean(name, policy_names()));
}

}  // namespace fulcrum::eval

#include "eval/policy.h"

#include <fmt/format.h>

#include "common/suggest.h"

namespace fulcrum::eval {

using scheduler::Policy;

namespace {
constexpr Policy kPolicies[] = {Policy::managed, Policy::slack};
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kPolicies));
  for (const auto policy : kPolicies)
    names.emplace_back(to_string(policy));
  return names;
}

Expected<Policy> parse_policy(const std::string& name) {
  for (const auto policy : kPolicies) {
    if (to_string(policy) == name) return policy;
  }
  return fail(ErrorCode::invalid_argument, fmt::format("unknown policy '{}'", name),
              did_you_mean(name, policy_names()));
}

}  // namespace fulcrum::eval

#pragma once
// The names of the policies by which training and inference share the device.

#include <string>
#include <vector>

#include "common/error.h"
#include "scheduler/problem.h"

namespace fulcrum::eval {

std::vector<std::string> policy_names();
[[nodiscard]] Expected<scheduler::Policy> parse_policy(const std::string& name);

}  // namespace fulcrum::eval

#pragma once
// "Did you mean": the known name that is nearest to an unknown one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fulcrum {

// The candidate within two typing errors (insertion, deletion, substitution, transposition) of `name`; at
// most one error per three letters. The first of several equally near.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean 'x'?", or "known: a, b, c" when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace fulcrum

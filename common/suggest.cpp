#include "common/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fulcrum {

namespace {

// Optimal string alignment distance.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j)
    d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

constexpr std::size_t kLongestName = 64;  // a hostile name must not cost quadratic time

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kLongestName) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_errors = std::min<std::size_t>(2, std::max<std::size_t>(1, name.size() / 3)) + 1;
  for (const auto& candidate : candidates) {
    if (const auto errors = typing_errors(name, candidate); errors < best_errors) {
      best = candidate;
      best_errors = errors;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  if (const auto nearest = nearest_name(name, candidates)) return fmt::format("did you mean '{}'?", *nearest);
  return fmt::format("known: {}", fmt::join(candidates, ", "));
}

}  // namespace fulcrum

#include "eval/oracle.h"

#include <algorithm>
#include <utility>

namespace fulcrum::eval {

using scheduler::Candidate;
using scheduler::Problem;
using scheduler::ProblemKind;

Oracle::Oracle(const Bench& bench) {
  for (std::size_t number = 0; number < bench.grid.size(); ++number) {
    const PowerMode mode = bench.grid.mode(number);
    Way way;
    if (bench.training) {
      way.training = bench.training->find(mode, bench.training->batch_sizes().front());
      if (way.training == nullptr) continue;
      way.power_w = way.training->power_w;
      if (!bench.inference) ways_.push_back(way);
    }
    if (!bench.inference) continue;
    for (const int batch : bench.inference->batch_sizes()) {
      way.inference = bench.inference->find(mode, batch);
      if (way.inference == nullptr) continue;
      way.power_w = std::max(way.training != nullptr ? way.training->power_w : 0, way.inference->power_w);
      ways_.push_back(way);
    }
  }
}

std::optional<double> Oracle::at_most(const Problem& problem, const Way& way) {
  if (!problem.inside_power(way.power_w)) return std::nullopt;
  if (way.inference == nullptr) return 1000 / problem.time_ms(*way.training);
  const double window_ms = problem.window_ms(way.inference->batch_size);
  const double inference_ms = problem.time_ms(*way.inference);
  if (inference_ms > window_ms || window_ms + inference_ms > problem.latency_budget_ms) return std::nullopt;
  if (way.training == nullptr) return -(window_ms + inference_ms);
  // All that inference leaves of the time is trained in: with either policy it is this or less. Under `slack`
  // a mean over 1,000 windows may count one minibatch that ends after them.
  constexpr double kRounding = 1 + 1e-6;
  const double beyond_the_end = problem.policy == scheduler::Policy::slack ? 1 / window_ms : 0;
  return kRounding * 1000 * (1 - inference_ms / window_ms) / problem.time_ms(*way.training) + beyond_the_end +
         1e-12;
}

std::optional<Candidate> Oracle::best(const Problem& problem) const {
  using Bounded = std::pair<double, const Way*>;
  std::vector<Bounded> open;
  open.reserve(ways_.size());
  for (const auto& way : ways_) {
    if (const auto bound = at_most(problem, way)) open.emplace_back(*bound, &way);
  }
  const auto by_bound = [](const Bounded& a, const Bounded& b) { return a.first < b.first; };
  std::make_heap(open.begin(), open.end(), by_bound);
  std::optional<Candidate> best;
  double best_value = 0;  // as at_most() counts
  while (!open.empty() && (!best || open.front().first >= best_value)) {
    const Way& way = *open.front().second;
    const Candidate c = make_candidate(problem, way.training, way.inference);
    if (c.feasible() && (!best || rank(problem, c) < rank(problem, *best))) {
      best = c;
      best_value = problem.kind == ProblemKind::infer ? -c.latency_ms : c.train_throughput_hz;
    }
    std::pop_heap(open.begin(), open.end(), by_bound);
    open.pop_back();
  }
  return best;
}

}  // namespace fulcrum::eval

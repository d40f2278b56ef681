#include "scheduler/offers.h"

#include <algorithm>
#include <tuple>

namespace fulcrum::scheduler {

namespace {

// With this one budget large enough.
bool would_do(const Candidate& c, Constraint budget) {
  const bool power = budget == Constraint::power;
  return c.stable && (power ? c.latency_met && !c.power_met : c.power_met && !c.latency_met);
}

}  // namespace

Alternative alternative(const Problem& problem, const Candidate& other, const Candidate& chosen) {
  Alternative a;
  a.mode = other.mode();
  a.batch_size = other.batch_size();
  a.train_throughput_hz = other.train_throughput_hz;
  a.latency_ms = other.latency_ms;
  a.power_w = other.power_w;
  const double base = objective(problem, chosen);
  if (base > 0) a.gain_percent = 100 * gain(problem, other, chosen) / base;
  return a;
}

std::vector<Offer> offers(const Problem& problem, const ProfileSet& profiles, const Candidate& chosen,
                          Constraint budget) {
  struct Bid {
    double needed;
    Candidate way;
  };
  std::vector<Bid> steps;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    if (!would_do(c, budget) || gain(problem, c, chosen) <= 0) return;
    steps.push_back({budget == Constraint::power ? c.power_at_most_w : c.latency_at_most_ms, c});
  });
  std::sort(steps.begin(), steps.end(), [&problem](const Bid& a, const Bid& b) {
    return std::tuple(a.needed, rank(problem, a.way)) < std::tuple(b.needed, rank(problem, b.way));
  });
  std::vector<Offer> rising;
  const Candidate* last = &chosen;
  for (const auto& step : steps) {
    if (rising.size() == kMostOffers) break;
    if (gain(problem, step.way, *last) <= 0) continue;
    rising.push_back({step.needed, alternative(problem, step.way, chosen)});
    last = &step.way;
  }
  return rising;
}

}  // namespace fulcrum::scheduler

#include "scheduler/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scheduler/candidate.h"
#include "scheduler/offers.h"

namespace fulcrum::scheduler {

namespace {

// What the candidate would need, if it is one budget alone that rules it out.
std::optional<Binding> ruled_out_by(const Problem& problem, const Candidate& c, const Candidate& chosen) {
  if (int{c.power_met} + int{c.latency_met} + int{c.stable} != 2) return std::nullopt;
  Binding binding;
  if (!c.power_met) {
    binding = {Constraint::power, *problem.power_budget_w, chosen.power_w, c.power_at_most_w, {}};
  } else if (!c.latency_met) {
    binding = {Constraint::latency, problem.latency_budget_ms, chosen.latency_ms, c.latency_at_most_ms, {}};
  } else if (problem.several) {
    const auto percent = [](const Candidate& x) { return 100 * x.due_ms / x.window_ms; };
    binding = {Constraint::deadlines, 100, percent(chosen), percent(c), {}};
  } else {
    const auto most_hz = [](const Candidate& x) { return 1000.0 * x.batch_size() / x.inference_ms; };
    binding = {Constraint::arrival_rate, problem.arrival_rate_hz, most_hz(chosen), most_hz(c), {}};
  }
  binding.rules_out = alternative(problem, c, chosen);
  return binding;
}

double relative_excess(const Binding& binding) {
  return std::abs(binding.needed - binding.budget) / binding.budget;
}

// For every candidate that the choice is compared with: is it the runner-up, or the next better one?
class Comparison {
 public:
  Comparison(const Problem& problem, const Candidate& chosen) : problem_(problem), chosen_(chosen) {}

  void add(const Candidate& c) {
    if (c.feasible()) {
      const bool another = c.mode() != chosen_.mode();
      if (another && (!runner_up_ || rank(problem_, c) < rank(problem_, *runner_up_))) runner_up_ = c;
    } else if (gain(problem_, c, chosen_) > 0) {
      const auto binding = ruled_out_by(problem_, c, chosen_);
      if (binding && (!binding_ || relative_excess(*binding) < relative_excess(*binding_)))
        binding_ = binding;
    }
  }

  std::optional<Binding> binding() const { return binding_; }
  std::optional<Alternative> runner_up() const {
    if (!runner_up_) return std::nullopt;
    return alternative(problem_, *runner_up_, chosen_);
  }

 private:
  const Problem& problem_;
  const Candidate& chosen_;
  std::optional<Candidate> runner_up_;
  std::optional<Binding> binding_;
};

double deviation_of(const Profile* profile, double noise) {
  return profile != nullptr ? noise / std::sqrt(profile->measurements) : 0;
}

Uncertainty uncertainty_of(const Problem& problem, const Candidate& c) {
  Uncertainty u;
  u.train_throughput_hz = c.train_throughput_hz * deviation_of(c.training, problem.noise.time);
  u.latency_ms = c.inference_ms * deviation_of(c.inference, problem.noise.time);
  u.power_w = c.power_w * std::max(deviation_of(c.training, problem.noise.power),
                                   deviation_of(c.inference, problem.noise.power));
  return u;
}

Choice explained(const Problem& problem, const ProfileSet& profiles, const Candidate& chosen,
                 std::size_t compared) {
  Comparison comparison(problem, chosen);
  for_each_candidate(problem, profiles, [&](const Candidate& c) { comparison.add(c); });
  Choice choice;
  choice.mode = chosen.mode();
  choice.batch_size = chosen.batch_size();
  choice.training_per_window = chosen.training_per_window;
  choice.train_throughput_hz = chosen.train_throughput_hz;
  choice.latency_ms = chosen.latency_ms;
  choice.power_w = chosen.power_w;
  choice.uncertainty = uncertainty_of(problem, chosen);
  choice.more_power = offers(problem, profiles, chosen, Constraint::power);
  if (problem.infers()) choice.more_latency = offers(problem, profiles, chosen, Constraint::latency);
  choice.binding = comparison.binding();
  choice.runner_up = comparison.runner_up();
  if (chosen.training != nullptr) choice.profiles.push_back(*chosen.training);
  if (chosen.inference != nullptr) choice.profiles.push_back(*chosen.inference);
  choice.compared = compared;
  return choice;
}

// How near the profiled ways to run come to the budgets.
struct Misses {
  std::size_t compared = 0;
  bool any_stable = false;
  std::optional<NearestBudget> least_power;         // whatever the latency
  std::optional<NearestBudget> least_latency;       // whatever the power; of the stable
  std::optional<NearestBudget> power_with_latency;  // power, where latency and stability are met
  std::optional<NearestBudget> latency_with_power;  // latency, where power and stability are met
};

void lower(std::optional<NearestBudget>& least, double value, const Candidate& c) {
  if (!least || value < least->value) least = NearestBudget{value, c.mode(), c.batch_size()};
}

Misses misses_of(const Problem& problem, const ProfileSet& profiles) {
  Misses m;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    ++m.compared;
    m.any_stable = m.any_stable || c.stable;
    lower(m.least_power, c.power_at_most_w, c);
    if (c.stable && c.latency_met) lower(m.power_with_latency, c.power_at_most_w, c);
    if (!problem.infers() || !c.stable) return;
    lower(m.least_latency, c.latency_at_most_ms, c);
    if (c.power_met) lower(m.latency_with_power, c.latency_at_most_ms, c);
  });
  return m;
}

// With no feasible candidate: is every mode of the grid known to fail, with every batch size?
bool every_mode_fails(const Problem& problem, const ProfileSet& profiles) {
  const auto batches = possible_batch_sizes(problem);
  for (std::size_t number = 0; number < problem.grid.size(); ++number) {
    const PowerMode mode = problem.grid.mode(number);
    const Profile* training = nullptr;
    if (problem.trains()) {
      training = profiles.find(WorkloadTask::training, mode, problem.training_batch_size);
      if (training != nullptr && !problem.inside_power(training->power_w)) continue;
      if (training == nullptr && !problem.infers()) return false;
    }
    if (!problem.infers()) continue;
    for (const int batch : batches) {
      const Profile* inference = profiles.find(WorkloadTask::inference, mode, batch);
      if (inference == nullptr || make_candidate(problem, nullptr, inference).feasible()) return false;
    }
  }
  return true;
}

std::string keeping_up(const Problem& problem) {
  return problem.several ? fmt::format("keeps the latency budgets of {} inference jobs beside each other",
                                       problem.several->jobs)
                         : fmt::format("keeps up with {:g} requests per second", problem.arrival_rate_hz);
}

std::string reason_for(const Problem& problem, const Misses& m, bool proved) {
  if (problem.infers() && possible_batch_sizes(problem).empty()) {
    const int smallest = problem.inference_batch_sizes.front();
    return fmt::format(
        "the latency budget of {:.1f} ms is too small: at {:g} requests per second the smallest "
        "batch, {}, takes {:.1f} ms to collect",
        problem.latency_budget_ms, problem.arrival_rate_hz, smallest, problem.window_ms(smallest));
  }
  if (m.compared == 0) return "nothing is profiled yet";
  const char* no_mode = proved ? "no mode" : "no profiled mode";
  if (!problem.inside_power(m.least_power->value)) {
    return fmt::format("{} draws {:.1f} W or less: the least is {:.1f} W", no_mode, *problem.power_budget_w,
                       m.least_power->value);
  }
  if (!m.any_stable) {
    return fmt::format("{} {}", no_mode, keeping_up(problem));
  }
  if (!m.power_with_latency && m.least_latency) {
    return fmt::format("{} answers within {:.1f} ms: the least is {:.1f} ms", no_mode,
                       problem.latency_budget_ms, m.least_latency->value);
  }
  if (!m.latency_with_power) {
    return fmt::format("{} inside {:.1f} W {}", no_mode, *problem.power_budget_w, keeping_up(problem));
  }
  return fmt::format(
      "{} keeps both budgets: {:.1f} ms takes {:.1f} W, and inside {:.1f} W the least is {:.1f} ms", no_mode,
      problem.latency_budget_ms, m.power_with_latency->value, *problem.power_budget_w,
      m.latency_with_power->value);
}

Infeasible no_choice(const Problem& problem, const ProfileSet& profiles) {
  const Misses misses = misses_of(problem, profiles);
  Infeasible answer;
  answer.proved = every_mode_fails(problem, profiles);
  answer.reason = reason_for(problem, misses, answer.proved);
  answer.power_budget_w = misses.power_with_latency;
  answer.latency_budget_ms = misses.latency_with_power;
  answer.compared = misses.compared;
  return answer;
}

bool is_worth_a_switch(const Problem& problem, const Candidate& best, const Candidate& running) {
  return gain(problem, best, running) > kWorthASwitch * objective(problem, running);
}

}  // namespace

std::variant<Choice, Infeasible> choose(const Problem& problem, const ProfileSet& profiles,
                                        const std::optional<Running>& running) {
  std::optional<Candidate> best;
  std::optional<Candidate> present;
  std::size_t compared = 0;
  for_each_candidate(problem, profiles, [&](const Candidate& c) {
    ++compared;
    if (!c.feasible()) return;
    if (!best || rank(problem, c) < rank(problem, *best)) best = c;
    if (running && c.mode() == running->mode && c.batch_size() == running->batch_size) present = c;
  });
  if (!best) return no_choice(problem, profiles);
  if (present && !is_worth_a_switch(problem, *best, *present)) best = present;
  return explained(problem, profiles, *best, compared);
}

}  // namespace fulcrum::scheduler

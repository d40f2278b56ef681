#pragma once
// The answer to a problem, and why: the best way to run among those that are profiled, what keeps it from
// being better, and what comes next; or that there is none, and which budgets would do.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/json_text.h"
#include "powermode/power_mode.h"
#include "scheduler/problem.h"
#include "scheduler/profile.h"

namespace fulcrum::scheduler {

enum class Constraint {
  power,         // W
  latency,       // ms
  arrival_rate,  // requests per second that can be served: t_in <= w
  deadlines,     // of several inference jobs: percent of the time before one that is needed
};
std::string_view to_string(Constraint constraint);

// Another way to run, compared with the choice.
struct Alternative {
  PowerMode mode;
  int batch_size = 0;  // of inference, of several jobs that of a batch of each; 0 when nothing infers
  double train_throughput_hz = 0;
  double latency_ms = 0;
  double power_w = 0;
  // By how much its objective is better (> 0) or worse (< 0) than the choice's, in percent of the choice's;
  // none when the choice's is 0.
  std::optional<double> gain_percent;

  Json to_json() const;
};

// The budget that must give least, in proportion, for something better that is profiled; and what that is.
struct Binding {
  Constraint constraint = Constraint::power;
  double budget = 0;  // the user's
  double used = 0;    // by the choice; for the arrival rate: the most that it could serve
  double needed = 0;  // the budget that would do
  Alternative rules_out;

  Json to_json() const;
};

// A larger budget, and what it would buy.
struct Offer {
  double budget = 0;  // W or ms
  Alternative way;

  Json to_json() const;
};

// Standard deviations, from the noise of measurements and how many there were; 0 where that is not known.
struct Uncertainty {
  double train_throughput_hz = 0;
  double latency_ms = 0;
  double power_w = 0;

  Json to_json() const;
};

struct Choice {
  PowerMode mode;
  int batch_size = 0;  // of inference, of several jobs that of a batch of each; 0 when nothing infers
  int training_per_window = 0;  // tau; 0 unless the problem is concurrent
  double train_throughput_hz = 0;
  double latency_ms = 0;  // w + t_in; of several jobs with one of each; 0 when the problem does not infer
  double power_w = 0;
  Uncertainty uncertainty;
  std::vector<Offer> more_power;         // what more watts would buy, the rest as asked
  std::vector<Offer> more_latency;       // what more milliseconds would
  std::optional<Binding> binding;        // none: nothing better is known
  std::optional<Alternative> runner_up;  // the best in another mode; none: no other is feasible
  std::vector<Profile> profiles;         // that the numbers above come from, training first
  std::size_t compared = 0;              // profiled ways to run among which it was chosen

  Json to_json() const;
};

// A budget that would do, all else being as asked, and where.
struct NearestBudget {
  double value = 0;  // W or ms
  PowerMode mode;
  int batch_size = 0;

  Json to_json() const;
};

struct Infeasible {
  std::string reason;
  bool proved = false;                             // else: none of the profiled modes will do
  std::optional<NearestBudget> power_budget_w;     // the smallest with the latency met
  std::optional<NearestBudget> latency_budget_ms;  // the smallest with the power met
  std::size_t compared = 0;

  Json to_json() const;
};

// What a board does already. A switch holds everything up for a moment, and small differences are often
// noise.
struct Running {
  PowerMode mode;
  int batch_size = 0;  // of inference; 0 when nothing infers
};
inline constexpr double kWorthASwitch = .02;  // of the objective

// The best of the profiled ways to run that keeps every budget. With everything profiled this is the optimum;
// ties go to the shorter inference, then to less power, then to the lower mode and batch size. Profiles
// outside the problem's grid and batch sizes are left alone. `running` stays as long as it keeps every budget
// and nothing is better by what is worth a switch. The problem must have passed check().
std::variant<Choice, Infeasible> choose(const Problem& problem, const ProfileSet& profiles,
                                        const std::optional<Running>& running = std::nullopt);

}  // namespace fulcrum::scheduler

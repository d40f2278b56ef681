#pragma once
// What a search is asked: which power mode, which inference batch size and how much training, under which
// budgets (searches.md section 1).

#include <optional>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "scheduler/mode_grid.h"
#include "scheduler/profile.h"

namespace fulcrum::scheduler {

enum class ProblemKind {
  train,       // most minibatches per second
  infer,       // least latency
  concurrent,  // most training minibatches per second beside inference that keeps its latency
};
std::string_view to_string(ProblemKind kind);

enum class Policy {
  managed,  // exactly tau training minibatches in each window of inference
  slack,    // a full batch waits for training as long as its budget allows (slack.h)
};
std::string_view to_string(Policy policy);

// Which time of a profile decides.
enum class TimeStatistic { p50, p99 };

// By how much one measurement is off, as a part of it: standard deviations. 0: exact, as in a recorded table.
struct MeasurementNoise {
  double time = 0;
  double power = 0;

  bool any() const { return time > 0 || power > 0; }
};

// Several inference jobs taken together (jobs_together.h), which are searched for as one. What a measured
// batch needs its profile tells; this is what can be told before.
struct SeveralJobs {
  int jobs = 0;
  double tightest_budget_ms = 0;  // the least latency budget, less the slicer's margin
  struct Batch {
    double longest_step_ms = 0;  // with which every deadline is probably kept
    double one_of_each = 0;      // a batch of each one after another, as a part of the step
  };
  std::vector<Batch> batches;  // of the allowed sizes
};

struct Problem {
  ProblemKind kind = ProblemKind::train;
  ModeGrid grid;
  std::optional<double> power_budget_w;  // none: any power will do

  // Of inference; for train without meaning.
  double latency_budget_ms = 0;
  double arrival_rate_hz = 0;
  std::vector<int> inference_batch_sizes;  // allowed, ascending
  std::optional<SeveralJobs> several;      // none: it is one job

  int training_batch_size = 16;  // the user's; for infer without meaning
  Policy policy = Policy::managed;
  TimeStatistic decide_with = TimeStatistic::p99;

  // What has been measured keeps a budget if it does with a margin for this (with_guard()).
  MeasurementNoise noise;

  // A strategy looks at no more profiles than these, measured for it or known before; then it answers from
  // what is known. None: as many as its own rules allow.
  std::optional<int> max_profiles;

  // Profiles that were known when the search began: a strategy with a limit of its own counts what came
  // after.
  std::size_t profiles_at_start = 0;

  Json to_json() const;
  // invalid_argument also for what check() refuses.
  [[nodiscard]] static Expected<Problem> from_json(const Json& json);

  bool trains() const { return kind != ProblemKind::infer; }
  bool infers() const { return kind != ProblemKind::train; }
  double time_ms(const Profile& profile) const {
    return decide_with == TimeStatistic::p50 ? profile.p50_ms : profile.p99_ms;
  }
  // w = 1000 b / a: the time to collect a batch.
  double window_ms(int batch_size) const { return 1000.0 * batch_size / arrival_rate_hz; }
  // A batch may take so long, as far as can be told before it is measured.
  double longest_inference_ms(int batch_size) const;
  // A training minibatch may take so long and yet never keep requests of several jobs waiting too long.
  double longest_training_ms(double one_of_each_ms) const;
  bool inside_power(double power_w) const { return !power_budget_w || power_w <= *power_budget_w; }
};

// An answer is meant to be beyond a budget by more than the tolerance in one case of forty at the most: where
// it looks as if it were at the very edge.
inline constexpr double kGuardDeviations = 2;
inline constexpr double kGuardTolerance = .01;

// What a quantity may truly be, measured so often. Without noise: the value.
double with_guard(double value, double noise, int measurements);

// The batch sizes with w < L, ascending: with the others no mode could be fast enough.
std::vector<int> possible_batch_sizes(const Problem& problem);

// invalid_argument, with the field, for what no search could work with.
[[nodiscard]] Expected<void> check(const Problem& problem);

}  // namespace fulcrum::scheduler

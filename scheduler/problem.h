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
};

// Which time of a profile decides.
enum class TimeStatistic { p50, p99 };

struct Problem {
  ProblemKind kind = ProblemKind::train;
  ModeGrid grid;
  std::optional<double> power_budget_w;  // none: any power will do

  // Of inference; for train without meaning.
  double latency_budget_ms = 0;
  double arrival_rate_hz = 0;
  std::vector<int> inference_batch_sizes;  // allowed, ascending

  int training_batch_size = 16;  // the user's; for infer without meaning
  Policy policy = Policy::managed;
  TimeStatistic decide_with = TimeStatistic::p99;

  // A strategy looks at no more profiles than these, measured for it or known before; then it answers from
  // what is known. None: as many as its own rules allow.
  std::optional<int> max_profiles;

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
  bool inside_power(double power_w) const { return !power_budget_w || power_w <= *power_budget_w; }
};

// The batch sizes with w < L, ascending: with the others no mode could be fast enough.
std::vector<int> possible_batch_sizes(const Problem& problem);

// invalid_argument, with the field, for what no search could work with.
[[nodiscard]] Expected<void> check(const Problem& problem);

}  // namespace fulcrum::scheduler

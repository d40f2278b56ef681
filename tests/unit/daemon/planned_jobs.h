#pragma once
// Jobs for planning, and a search for them that is driven to its end on a board of the tests' own making.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/planning.h"
#include "tests/unit/scheduler/made_up_board.h"

namespace fulcrum::test {

inline constexpr auto kTraining = WorkloadTask::training;
inline constexpr auto kInference = WorkloadTask::inference;

inline JobSpec training_to_plan(int batch_size = 16) {
  JobSpec spec;
  spec.name = "fashion";
  spec.model.builtin = "lenet5";
  TrainingSpec training;
  training.batch_size = batch_size;
  spec.kind = training;
  return spec;
}

inline JobSpec inference_to_plan(double rate_hz, double budget_ms, std::vector<int> batch_sizes) {
  JobSpec spec;
  spec.name = "camera";
  spec.model.builtin = "lenet5";
  InferenceSpec inference;
  inference.arrival_rate_hz = rate_hz;
  inference.latency_budget_ms = budget_ms;
  inference.batch_sizes = std::move(batch_sizes);
  spec.kind = inference;
  return spec;
}

// Of the shares of a plan.
template <class Shares>
std::vector<JobId> jobs_of(const Shares& shares) {
  std::vector<JobId> ids;
  ids.reserve(shares.size());
  for (const auto& share : shares)
    ids.push_back(share.job);
  return ids;
}

// What a probe finds; none: nothing, however often it is taken.
using Findings = std::function<std::optional<scheduler::MadeUpBoard::Step>(const daemon::PlannedJob&,
                                                                           const scheduler::Measure&)>;

// Jobs on a board, and the part of the pilot that answers probes.
class PlanningScene {
 public:
  PlanningScene(const std::string& strategy, scheduler::ModeGrid modes, Findings findings)
      : grid(std::move(modes)),
        strategy_(scheduler::make_strategy(strategy).value()),
        findings_(std::move(findings)) {}

  daemon::PlannedJob& add(JobId id, JobSpec spec) {
    daemon::PlannedJob job;
    job.id = id;
    job.spec = std::move(spec);
    job.spec.name += std::to_string(id);
    return jobs[id] = std::move(job);
  }

  daemon::PlanningRules rules() const {
    return {scheduler::adviser(*strategy_), grid, power_budget_w, margin_ms, limits, {}, {}, {}};
  }

  // Until there is a mode to settle in; `probes` are then those of this search alone.
  daemon::SettleIn search(const std::function<void(const daemon::TakeProbe&)>& before_probe = {}) {
    probes.clear();
    while (probes.size() < scheduler::kFarTooManyProbes) {
      auto move = daemon::next_move(jobs, rules(), unmeasurable);
      if (auto* settled = std::get_if<daemon::SettleIn>(&move)) return std::move(*settled);
      probes.push_back(std::get<daemon::TakeProbe>(std::move(move)));
      if (before_probe) before_probe(probes.back());
      answer(probes.back());
    }
    throw std::runtime_error("the search does not end");
  }

  // What the pilot notes once the board is settled: the jobs of the plan are being served.
  void serve(const scheduler::Plan& plan) {
    for (const auto& share : plan.inference) {
      jobs.at(share.job).live = true;
      jobs.at(share.job).kept = share.warning.empty();
    }
  }

  // As if it had been measured before.
  void know(JobId id, const scheduler::Measure& measure) {
    const auto found = findings_(jobs.at(id), measure);
    if (!found || !jobs.at(id).profiles.add(profile(measure, *found)))
      throw std::runtime_error("the board has no " + measure.to_string());
  }

  scheduler::ModeGrid grid;
  std::optional<double> power_budget_w;
  double margin_ms = 0;
  scheduler::SearchLimits limits;
  daemon::PlannedJobs jobs;
  daemon::Unmeasurable unmeasurable;
  std::vector<daemon::TakeProbe> probes;

 private:
  static scheduler::Profile profile(const scheduler::Measure& m, const scheduler::MadeUpBoard::Step& found) {
    return {m.task, m.mode, m.batch_size, found.time_ms, found.time_ms, found.power_w};
  }

  void answer(const daemon::TakeProbe& probe) {
    const auto& m = probe.measure;
    auto& job = jobs.at(probe.job);
    if (const auto found = findings_(job, m)) {
      if (!job.profiles.add(profile(m, *found))) throw std::runtime_error("no measurement");
    } else {
      unmeasurable.insert({probe.job, {m.task, m.mode, m.batch_size}});
    }
  }

  std::unique_ptr<scheduler::Strategy> strategy_;
  Findings findings_;
};

// ---- a board whose modes differ in the GPU's clock alone ----

inline PowerMode gpu_mode(std::int64_t level) {
  return {1, 1, level, 1};
}

// A step on it, at level 1; it is as much faster in a higher mode, and draws as much more.
struct GpuWork {
  double fixed_ms = 0;
  double ms_per_sample = 0;
  double power_w = 10;
};

// Without the jobs that have no work: they cannot be measured.
inline Findings gpu_board(std::map<JobId, GpuWork> work) {
  return
      [work = std::move(work)](const daemon::PlannedJob& job,
                               const scheduler::Measure& m) -> std::optional<scheduler::MadeUpBoard::Step> {
        const auto found = work.find(job.id);
        if (found == work.end()) return std::nullopt;
        const auto& w = found->second;
        const auto level = static_cast<double>(m.mode.gpu_hz);
        return scheduler::MadeUpBoard::Step{(w.fixed_ms + w.ms_per_sample * m.batch_size) / level,
                                            w.power_w * level};
      };
}

inline PlanningScene gpu_scene(const std::string& strategy, std::int64_t levels,
                               std::map<JobId, GpuWork> work) {
  return {strategy, scheduler::grid_of({1}, {1}, scheduler::levels_up_to(levels), {1}),
          gpu_board(std::move(work))};
}

}  // namespace fulcrum::test

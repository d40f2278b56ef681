// The pilot's watch: what the board and the jobs do, against the plan.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/job_json.h"
#include "daemon/pilot.h"

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::seconds kWarnEvery{60};
constexpr double kHoldPatience = 6;        // heartbeat time-outs
constexpr double kBudgetTolerance = 1.01;  // readings are rounded

std::string told(const std::vector<BoardLease::Change>& changes) {
  auto text = changes.front().to_string();
  if (changes.size() > 1) text += fmt::format(", and {} more knobs", changes.size() - 1);
  return text;
}

}  // namespace

void Pilot::tick() {
  const auto sample = board_.sample_power();
  expect_hold();
  if (probe_) {
    probe_foreign_load_ = std::max(probe_foreign_load_, board_.foreign_gpu_load().value_or(0));
    probe_->power(sample);
    probe_->advance();
    if (probe_->result()) end_probe();
  } else if (plan_ && plan_->mode && !stage_.busy() && !probe_steps_run_) {
    watch(sample);
  }
  if (think_at_ && clock_.now() >= *think_at_) think();
}

std::optional<double> Pilot::longest_step_ms(JobId id) const {
  const auto job = jobs_.find(id);
  if (job == jobs_.end() || (probe_ && probe_->job() == id)) return std::nullopt;
  double longest = 0;
  const auto take = [&longest](const auto& times) {
    for (const auto& time : times)
      longest = std::max(longest, time.p99_ms);
  };
  if (plan_) {
    for (const auto& share : plan_->inference) {
      if (share.job == id) take(share.step_times);
    }
    for (const auto& share : plan_->training) {
      if (share.job == id) take(std::array{share.step_time});
    }
  }
  if (longest == 0) return std::nullopt;
  return longest;
}

// A worker whose step does not end would have everybody wait for ever.
void Pilot::expect_hold() {
  const auto patience = from_ms(1000 * kHoldPatience * config_.worker.heartbeat_timeout_s);
  if (stage_.busy() && clock_.now() - stage_.busy_since() > patience)
    hooks_.replace_worker("its step does not end");
}

void Pilot::watch(const Expected<PowerSample>& sample) {
  if (sample && power_watch_.add(sample->total_w, sample->taken_at) && is_over_budget(*power_watch_.mean_w()))
    return over_budget(*power_watch_.mean_w());
  if (clock_.now() >= next_mode_check_) check_mode();
}

bool Pilot::is_over_budget(double mean_w) const {
  const auto budget_w = budget_.power_w();
  return budget_w && !board_.fixed_mode() && mean_w > kBudgetTolerance * *budget_w;
}

void Pilot::over_budget(double mean_w) {
  const bool can_do_less =
      settlement_ && (settlement_->choice || (settlement_->instead && settlement_->instead->keeps_budgets));
  if (!can_do_less || !plan_->expected_power_w) return;  // the plan's notes say so
  const double factor = mean_w / *plan_->expected_power_w;
  if (factor <= power_factor_) return;  // it is known, and nothing better is
  power_factor_ = factor;
  log_->warn("the board draws {:.1f} W where {:.1f} W were measured, over its budget of {:g} W", mean_w,
             *plan_->expected_power_w, *budget_.power_w());
  react_ = true;
  think();
}

void Pilot::check_step_times(PlannedJob& job, const std::vector<scheduler::StepTime>& recent) {
  if (board_.fixed_mode()) {
    if (update_step_times(job.step_times, recent)) settle_in_fixed_mode();
    return;
  }
  auto updated = job.profiles;
  if (!update_profiles(updated, task_of(job.spec), *plan_->mode, recent)) return;
  // In a mode that somebody else has set, steps say nothing about the planned one.
  if (const auto mode = board_.board().read_mode(); !mode || *mode != *plan_->mode) return check_mode();
  job.profiles = std::move(updated);
  log_->debug("'{}' takes other times than measured", job.spec.name);
  auto here = settle_now(jobs_, rules(), plan_->mode);
  if (here.settlement.choice) {
    settle(std::move(here));
  } else {
    react_ = true;
    think();
  }
}

void Pilot::check_latency(const PlannedJob& job, const Json& progress) {
  const auto window = latency_watches_[job.id].add(progress);
  const auto& spec = *job.spec.inference();
  constexpr double kRounding = 1e-9;
  if (!window || !job.kept || window->inside >= spec.percentile / 100 - kRounding) return;
  log_->warn("'{}' answered {:.1f} % of its last {} requests within {:g} ms, it wants {:g} %", job.spec.name,
             100 * window->inside, window->requests, spec.latency_budget_ms, spec.percentile);
}

// Others turn knobs too: a boot service that runs late, an administrator.
void Pilot::check_mode() {
  next_mode_check_ = clock_.now() + kModeCheckPeriod;
  if (foreign_.suspended(clock_.now())) return;
  const auto changes = board_.foreign_changes();
  if (!changes) {
    const auto level = clock_.now() >= next_warning_ ? spdlog::level::warn : spdlog::level::debug;
    if (level == spdlog::level::warn) next_warning_ = clock_.now() + kWarnEvery;
    return log_->log(level, "the board's knobs cannot be read: {}", changes.error().to_string());
  }
  if (changes->empty()) return;
  const auto what = told(*changes);
  if (!note_foreign_change(what)) return think();
  board_.distrust_mode();
  stage_.set(setting(*plan_), [this](const Expected<void>& changed) {
    if (!changed) return board_failed(changed.error());
    power_watch_.restart(clock_.now());
  });
}

bool Pilot::note_foreign_change(const std::string& what) {
  if (foreign_.may_reassert(clock_.now())) {
    const auto level = foreign_.is_first() ? spdlog::level::warn : spdlog::level::debug;
    log_->log(level, "{} by another program; it is set back", what);
    return true;
  }
  suspended_why_ = fmt::format(
      "another program keeps changing the board's knobs: {}. Training is suspended for {} s, requests are "
      "answered as the board allows. nvpmodel.service (systemctl isolate runs it again), jetson_clocks, jtop "
      "and nvpmodel_indicator do that: stop it",
      what, ForeignChanges::kSuspension.count());
  log_->error("{}", suspended_why_);
  return false;
}

// The board stays in the mode that the other program wants.
void Pilot::stay_suspended() {
  cancel_probe("another program changes the board's knobs");
  board_.distrust_mode();
  const auto mode = board_.board().read_mode();
  scheduler::Plan plan;
  if (mode && board_.fixed_mode()) {
    PlannedJobs inference = jobs_;
    for (const auto& [id, job] : jobs_) {
      if (job.spec.inference() == nullptr) inference.erase(id);
    }
    plan = plan_in_fixed_mode(inference, *mode, config_.scheduler.margin_ms);
  } else if (mode) {
    plan = plan_meanwhile(jobs_, *mode, config_.scheduler.margin_ms);
  }
  plan.notes.push_back(suspended_why_);
  hooks_.send(setting(plan));
  plan_ = std::move(plan);
  settlement_.reset();
  probe_steps_run_ = false;
  hooks_.trouble(suspended_why_);
  hooks_.status("suspended: another program changes the board's knobs");
  tell_states();
  think_again_later(ForeignChanges::kSuspension);
}

}  // namespace fulcrum::daemon

#include "daemon/pilot.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/job_json.h"

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::seconds kBoardRetryAfter{2};
constexpr std::chrono::seconds kNothingMeasuredRetryAfter{30};
constexpr std::chrono::seconds kWatchWindow{1};
constexpr std::chrono::milliseconds kWatchSlack{200};
constexpr int kRefusalsBeforeGivingUp = 2;

template <class Shares>
bool has_share(const Shares& shares, JobId id) {
  return std::any_of(shares.begin(), shares.end(), [id](const auto& share) { return share.job == id; });
}

// The same jobs in the same mode and batches; their times may differ.
bool runs_alike(const scheduler::Plan& a, const scheduler::Plan& b) {
  const auto same_inference = [](const auto& x, const auto& y) {
    return x.job == y.job && x.batch_size == y.batch_size && x.warning == y.warning;
  };
  const auto same_training = [](const auto& x, const auto& y) {
    return x.job == y.job && x.warning == y.warning;
  };
  return a.mode == b.mode && a.notes == b.notes &&
         std::equal(a.inference.begin(), a.inference.end(), b.inference.begin(), b.inference.end(),
                    same_inference) &&
         std::equal(a.training.begin(), a.training.end(), b.training.begin(), b.training.end(),
                    same_training);
}

}  // namespace

Expected<std::unique_ptr<Pilot>> Pilot::make(Parts parts) {
  FULCRUM_TRY_ASSIGN(grid, parts.board.grid());
  FULCRUM_TRY_ASSIGN(deliberation,
                     Deliberation::make(parts.config.scheduler.strategy, parts.board.strategy_tools()));
  return std::unique_ptr<Pilot>(new Pilot(std::move(parts), std::move(grid), std::move(deliberation)));
}

Pilot::Pilot(Parts parts, scheduler::ModeGrid grid, Deliberation deliberation)
    : clock_(parts.clock),
      config_(parts.config),
      log_(std::move(parts.log)),
      board_(parts.board),
      profiles_(parts.profiles),
      budget_(std::move(parts.budget)),
      hooks_(std::move(parts.hooks)),
      grid_(std::move(grid)),
      deliberation_(std::move(deliberation)),
      stage_(board_, clock_, hooks_.send),
      power_watch_(kWatchWindow, board_.board().averaging_window()) {}

PlanningRules Pilot::rules() const {
  PlanningRules rules{
      deliberation_.adviser(), grid_, budget_.power_w(), config_.scheduler.margin_ms, {}, {}, {}, {}};
  if (auto noise = profiles_.noise()) {
    rules.noise = *noise;
  } else {
    log_->error("what is known of the noise of measurements cannot be read: {}", noise.error().to_string());
  }
  if (rules.power_budget_w) *rules.power_budget_w /= power_factor_;
  if (config_.scheduler.most_modes > 0)
    rules.limits.most_modes = static_cast<int>(config_.scheduler.most_modes);
  rules.known_at_start = known_at_start_;
  if (settlement_ && settlement_->choice)
    rules.running = scheduler::Running{settlement_->choice->mode, settlement_->choice->batch_size};
  return rules;
}

// ---- jobs ----

void Pilot::add(JobId id, const JobSpec& spec, std::vector<scheduler::StepTime> measured, bool live) {
  PlannedJob job;
  job.id = id;
  job.spec = spec;
  job.step_times = std::move(measured);
  job.live = live;
  load_profiles(job);
  jobs_.insert_or_assign(id, std::move(job));
  learn_from_others();
  power_factor_ = 1;
  known_at_start_.reset();
  if (!board_.fixed_mode() && (spec.training() != nullptr || !live)) hooks_.state(id, JobState::profiling);
  think();
}

void Pilot::load_profiles(PlannedJob& job) {
  auto known = profiles_.profiles_of(job.spec);
  if (known) {
    job.profiles = *std::move(known);
  } else {
    log_->error("job {} '{}' is measured anew: {}", job.id, job.spec.name, known.error().to_string());
  }
}

bool Pilot::remove(JobId id) {
  if (jobs_.erase(id) == 0) return false;
  latency_watches_.erase(id);
  power_factor_ = 1;
  known_at_start_.reset();
  if (probe_ && (probe_->job() == id || has_share(plan_->inference, id))) cancel_probe("a job has ended");
  think();
  return true;
}

void Pilot::clear() {
  if (stage_.busy()) {
    stage_.abandon();
    hooks_.send(worker::SetPlan{});  // the worker must not hold for ever
  }
  probe_.reset();
  probe_begins_ = false;
  probe_steps_run_ = false;
  react_ = false;
  think_again_ = false;
  deliberation_.forget_question();
  plan_.reset();
  settlement_.reset();
  search_.reset();
  failures_.clear();
  unmeasurable_.clear();
  refusals_.clear();
  foreign_.forget();
  explore_left_ = 0;
  hooks_.status("no job runs");
}

void Pilot::worker_down() {
  stage_.worker_down();
  // It may have been the probe that was too much for it.
  if (probe_) count_failure(probe_->job(), profile_key(probe_->key()));
  think_at_.reset();
  probe_.reset();
  probe_begins_ = false;
  probe_steps_run_ = false;
  react_ = false;
  think_again_ = false;
  deliberation_.forget_question();
  jobs_.clear();
  latency_watches_.clear();
  plan_.reset();
  settlement_.reset();
  search_.reset();
}

// ---- the next move ----

void Pilot::think() {
  if (stopped_) return;
  think_at_.reset();
  think_again_ = stage_.busy();
  if (jobs_.empty()) return clear();
  if (stage_.busy()) return;  // what comes of it is thought about
  if (foreign_.suspended(clock_.now())) return stay_suspended();
  if (probe_ && react_) cancel_probe("it must not keep a change waiting");
  if (probe_) return;
  if (board_.fixed_mode()) return settle_in_fixed_mode();
  if (std::exchange(react_, false)) return use_what_is_known();
  if (hooks_.jobs_arrive()) return wait_for_arrivals();
  if (!known_at_start_) known_at_start_ = known_profiles(jobs_, unmeasurable_);
  if (const auto used = deliberation_.use(strategy_for(jobs_)); !used)
    log_->error("'{}' goes on deciding: {}", deliberation_.strategy(), used.error().to_string());
  auto move = next_move(jobs_, rules(), unmeasurable_);
  if (auto* probe = std::get_if<TakeProbe>(&move)) {
    begin_probe(std::move(*probe));
  } else if (const auto* question = std::get_if<scheduler::Unadvised>(&move)) {
    wait_for_thought(*question);
  } else if (!go_exploring()) {
    settle(std::get<SettleIn>(std::move(move)));
  }
}

void Pilot::think_again_later(Duration after) {
  think_at_ = clock_.now() + after;
}

// Whoever can run without being measured does not wait for jobs that are being loaded.
void Pilot::wait_for_arrivals() {
  stop_probe_steps();
  auto known = settle_now(jobs_, rules());
  const bool is_needed = std::any_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j.second.live; });
  if (!known.plan.mode || !(known.settlement.choice || is_needed)) return;
  if (!settlement_ || !plan_ || !runs_alike(*plan_, known.plan)) settle(std::move(known));
}

// For a change that must not wait for a search. If training goes on in what is known, the search follows when
// the board has shown for a window what it draws there; if it has to wait for the search, at once.
void Pilot::use_what_is_known() {
  auto known = settle_now(jobs_, rules());
  if (!known.plan.mode) return think();
  const bool found = known.settlement.choice.has_value();
  settle(std::move(known));
  if (found) {
    think_again_later(kWatchWindow + board_.board().averaging_window() + kWatchSlack);
  } else {
    think();
  }
}

worker::SetPlan Pilot::setting(scheduler::Plan plan, const std::optional<worker::ProbeOrder>& probe) const {
  worker::SetPlan set{std::move(plan), {}, probe};
  if (!set.plan.mode) return set;
  for (const auto& [id, job] : jobs_) {
    auto entries = board_.pace_in(*set.plan.mode, job.spec);
    if (entries && !entries->empty()) set.paces.push_back({id, *std::move(entries)});
  }
  return set;
}

void Pilot::board_failed(const Error& error) {
  log_->error("the board cannot be brought into the planned mode: {}", error.to_string());
  hooks_.trouble(error.to_string());
  if (!foreign_.may_reassert(clock_.now())) {
    suspended_why_ = fmt::format(
        "the board does not stay in the mode that is set: {}. Training is suspended for {} s. Another "
        "program "
        "may be changing it, or the kernel, to keep the board cool",
        error.to_string(), ForeignChanges::kSuspension.count());
    return stay_suspended();
  }
  // The worker holds, and the board is as it was: what ran before runs on.
  hooks_.send(setting(plan_ ? *plan_ : scheduler::Plan{}));
  probe_steps_run_ = false;
  next_mode_check_ = clock_.now() + kBoardRetryAfter;
  think_again_later(kBoardRetryAfter);
}

// One that the board does not take, though it has been measured in it, is as if it were not known.
void Pilot::mode_refused(const PowerMode& mode) {
  if (++refusals_[mode] < kRefusalsBeforeGivingUp) return;
  for (auto& [id, job] : jobs_)
    job.profiles = job.profiles.outside(mode);
}

// ---- settled ----

void Pilot::settle_in_fixed_mode() {
  SettleIn fixed;
  fixed.plan = plan_in_fixed_mode(jobs_, *board_.fixed_mode(), config_.scheduler.margin_ms);
  settle(std::move(fixed));
}

void Pilot::settle(SettleIn settled) {
  if (!settled.plan.mode) {
    hooks_.status("nothing could be measured");
    end_search(false);
    settlement_.reset();
    plan_ = board_.mode() ? plan_meanwhile(jobs_, *board_.mode(), config_.scheduler.margin_ms) : settled.plan;
    probe_steps_run_ = true;  // whatever the worker does, it gets this plan
    plan_->notes.emplace_back("no job could be measured in any mode; the log tells why");
    failures_.clear();
    unmeasurable_.clear();
    deliberation_.forget_answers();
    stop_probe_steps();
    return think_again_later(kNothingMeasuredRetryAfter);
  }
  settled.plan.mode_name = board_.name_of(*settled.plan.mode);
  settled.plan.power_budget_w = budget_.power_w();
  auto set = setting(settled.plan);
  stage_.set(std::move(set), [this, settled = std::move(settled)](const Expected<void>& changed) {
    if (!changed) {
      if (!board_.fixed_mode()) mode_refused(*settled.plan.mode);
      return board_failed(changed.error());
    }
    this->settled(settled);
  });
}

void Pilot::settled(SettleIn settled) {
  hooks_.trouble("");
  probe_steps_run_ = false;
  const bool same = plan_ && settlement_ && runs_alike(*plan_, settled.plan);
  plan_ = std::move(settled.plan);
  settlement_ = std::move(settled.settlement);
  refusals_.erase(*plan_->mode);
  if (!same) {
    power_watch_.restart(clock_.now());
    next_mode_check_ = clock_.now() + kModeCheckPeriod;
  }
  for (const auto& share : plan_->inference) {
    const auto job = jobs_.find(share.job);
    if (job == jobs_.end()) continue;  // it ended while the stage was set
    job->second.live = true;
    // Probes need not spare a budget that is missed anyway, so that more of them may be possible now.
    const bool given_up = job->second.kept && !share.warning.empty();
    job->second.kept = share.warning.empty();
    if (given_up && !board_.fixed_mode()) think_again_later(kWatchWindow);
  }
  end_search(settlement_->choice.has_value());
  log_->log(same ? spdlog::level::debug : spdlog::level::info, "plan: {}", describe(*plan_));
  hooks_.status(describe(*plan_));
  tell_states();
}

void Pilot::tell_states() {
  for (const auto& [id, job] : jobs_) {
    const bool runs = has_share(plan_->inference, id) || has_share(plan_->training, id);
    hooks_.state(id, runs ? JobState::running : JobState::queued);
  }
}

// ---- from outside ----

void Pilot::worker_holds() {
  stage_.worker_holds();
  if (!stage_.busy() && std::exchange(think_again_, false)) think();
}

void Pilot::progress(JobId id, const Json& progress, const std::vector<scheduler::StepTime>& recent) {
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return;
  if (it->second.spec.inference() != nullptr) check_latency(it->second, progress);
  if (!stage_.busy() && !probe_ && settlement_) check_step_times(it->second, recent);
}

void Pilot::slices(const std::vector<worker::DeviceSlice>& slices) {
  if (!probe_) return;
  probe_->slices(slices);
  probe_->advance();
  if (probe_->result()) end_probe();
}

void Pilot::profiles_changed() {
  for (auto& [id, job] : jobs_) {
    auto before = std::exchange(job.profiles, {});
    load_profiles(job);
    if (before.size() > 0) job.forgotten = std::move(before);
  }
  learn_from_others();
  unmeasurable_.clear();
  failures_.clear();
  known_at_start_.reset();
  cancel_probe("profiles have changed");
  think();
}

Expected<void> Pilot::set_budget(std::optional<double> power_w) {
  if (board_.fixed_mode()) {
    return fail(ErrorCode::unavailable,
                "the configuration fixes the power mode, which leaves nothing to choose",
                "set mode: auto in the configuration of fulcrumd");
  }
  FULCRUM_TRY(budget_.set(power_w));
  log_->info("power budget: {}", power_w ? fmt::format("{:g} W", *power_w) : "none");
  budget_changed();
  return {};
}

Expected<void> Pilot::reset_budget() {
  FULCRUM_TRY(budget_.reset());
  log_->info("power budget: as configured");
  budget_changed();
  return {};
}

void Pilot::budget_changed() {
  known_at_start_.reset();
  power_factor_ = 1;
  react_ = true;
  think();
}

}  // namespace fulcrum::daemon

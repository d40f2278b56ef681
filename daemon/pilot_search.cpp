// The pilot's search: probes, one after another.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/job_json.h"
#include "daemon/pilot.h"

namespace fulcrum::daemon {

namespace {

constexpr int kFailuresBeforeGivingUp = 2;
constexpr double kUnknownStepMs = 25;
constexpr std::chrono::minutes kLimitOfTheUnknown{10};

profiler::ProbeSettings probe_settings(const DaemonConfig& config, const Board& board, double step_bound_ms) {
  profiler::ProbeSettings settings;
  settings.averaging_window = board.averaging_window();
  settings.minibatches = static_cast<int>(config.profiler.minibatches);
  settings.shortest_measuring = from_ms(1000 * config.profiler.measure_s);
  // Beside live requests steps take their turn: several times longer than back to back.
  const auto expected = profiler::expected_cost(settings, from_ms(step_bound_ms));
  settings.time_limit = step_bound_ms > 0 ? std::max(settings.time_limit, 4 * expected) : kLimitOfTheUnknown;
  return settings;
}

// What the strategy may ask for, and how much the limit on modes leaves of it.
int most_probes(const PlannedJobs& jobs, const Deliberation& deliberation, const scheduler::ModeGrid& grid,
                const DaemonConfig& config) {
  const auto problem = searched_problem(jobs, {{}, grid, {}, 0, {}, {}, {}, {}});
  int per_mode = problem.trains() ? 1 : 0;
  for (const auto& [id, job] : jobs) {
    if (job.spec.inference() != nullptr) per_mode += static_cast<int>(job.spec.batch_sizes().size());
  }
  const int of_one = problem.several ? problem.several->jobs : 1;  // every measurement is of each of them
  const auto by_rule = of_one * static_cast<int>(deliberation.most_probes(problem));
  const auto modes = static_cast<int>(config.scheduler.most_modes);
  return modes > 0 ? std::min(by_rule, modes * per_mode) : by_rule;
}

}  // namespace

const std::string& Pilot::strategy_for(const PlannedJobs& jobs) const {
  const auto last = std::find_if(jobs.rbegin(), jobs.rend(),
                                 [](const auto& entry) { return !entry.second.spec.strategy.empty(); });
  return last == jobs.rend() ? config_.scheduler.strategy : last->second.spec.strategy;
}

// For workloads of which nothing is known: what others on this board have turned out to be.
void Pilot::learn_from_others() {
  if (board_.fixed_mode()) return;
  std::set<std::string> searched;
  for (const auto& [id, job] : jobs_)
    searched.insert(profiles_.fingerprint_of(job.spec));
  const auto others = profiles_.others(searched);
  const auto noise = profiles_.noise();
  if (!others || !noise) {
    const auto& error = others ? noise.error() : others.error();
    return log_->error("nothing is learned of other workloads: {}", error.to_string());
  }
  auto tools = board_.strategy_tools();
  tools.priors = scheduler::learned_priors(tools.priors, *others, *noise);
  if (const auto equipped = deliberation_.equip(tools); !equipped)
    log_->error("nothing is learned of other workloads: {}", equipped.error().to_string());
}

Expected<void> Pilot::check(const JobSpec& spec) const {
  if (spec.strategy.empty()) return {};
  const auto known = Deliberation::make(spec.strategy, board_.strategy_tools());
  if (known) return {};
  Error error = known.error();
  error.field = "/strategy";
  return Unexpected(std::move(error));
}

Json Pilot::search_cost(const PlannedJobs& jobs) const {
  const auto deliberation = Deliberation::make(strategy_for(jobs), board_.strategy_tools()).value();
  const int probes = most_probes(jobs, deliberation, grid_, config_);
  const auto step = from_ms(kUnknownStepMs);
  const auto each = profiler::expected_cost(probe_settings(config_, board_.board(), kUnknownStepMs), step);
  return {{"probes_at_most", probes}, {"seconds_at_most", std::ceil(probes * to_s(each))}};
}

Json Pilot::expected_search(const JobSpec& spec) const {
  if (board_.fixed_mode()) return nullptr;
  PlannedJobs jobs = jobs_;
  PlannedJob job;
  job.spec = spec;
  jobs.emplace(std::numeric_limits<JobId>::max(), std::move(job));  // the last
  return search_cost(jobs);
}

// In the midst of a search the board stays as it is, for the next probe is near. Before it whoever can run
// does: a worker that has just started may have much to think over.
void Pilot::wait_for_thought(const scheduler::Unadvised& question) {
  if (const auto asked = deliberation_.ask(question)) {
    log_->debug("the worker is asked what to measure next");
    hooks_.send(*asked);
  }
  if (search_ && !search_->over) return stop_probe_steps();
  wait_for_arrivals();
}

void Pilot::thought(const worker::Thought& thought) {
  const auto taken = deliberation_.take(thought);
  if (!taken) log_->error("the search ends with what is known: {}", taken.error().to_string());
  if (!taken || *taken) think();
}

void Pilot::begin_search() {
  if (search_ && !search_->over) return;
  search_ = Search{clock_.now(), 0, {}, false, 0};
  Json cost = search_cost(jobs_);
  log_->info("the power mode is searched for ({}): at most {} probes or {} s, commonly a quarter of it",
             deliberation_.strategy(), to_line(cost["probes_at_most"]), to_line(cost["seconds_at_most"]));
  cost["state"] = "begun";
  for (const auto& [id, job] : jobs_) {
    if (job.spec.training() != nullptr || !job.live) hooks_.state(id, JobState::profiling);
    hooks_.tell(id, "search", cost);
  }
}

void Pilot::end_search(bool found) {
  if (!search_ || search_->over) return;
  search_->over = true;
  search_->took_s = to_s(clock_.now() - search_->begun);
  log_->info("the search took {} probes in {} modes, {:.1f} s", search_->probes, search_->modes.size(),
             search_->took_s);
  for (const auto& [id, job] : jobs_) {
    hooks_.tell(id, "search",
                {{"state", "ended"},
                 {"probes", search_->probes},
                 {"modes", search_->modes.size()},
                 {"seconds", search_->took_s},
                 {"found", found}});
  }
}

Expected<Json> Pilot::explore(int probes) {
  if (board_.fixed_mode()) {
    return fail(ErrorCode::unavailable,
                "the configuration fixes the power mode, so that no other is measured",
                "set mode: auto in the configuration of fulcrumd");
  }
  if (jobs_.empty()) {
    return fail(ErrorCode::unavailable, "no job is loaded whose workload could be measured",
                "submit a job, and explore while it runs");
  }
  explore_left_ = probes;
  log_->info("{} probes are taken for budgets not yet set", probes);
  const auto step = from_ms(kUnknownStepMs);
  const auto each = profiler::expected_cost(probe_settings(config_, board_.board(), kUnknownStepMs), step);
  think();
  return Json{{"probes", probes}, {"seconds_at_most", std::ceil(probes * to_s(each))}};
}

// False: there is nothing to explore, any more.
bool Pilot::go_exploring() {
  if (explore_left_ <= 0) return false;
  auto next = next_exploration(jobs_, rules(), unmeasurable_);
  if (const auto* question = std::get_if<scheduler::Unadvised>(&next)) {
    wait_for_thought(*question);
    return true;
  }
  auto* probe = std::get_if<TakeProbe>(&next);
  if (probe == nullptr) {
    log_->info("nothing more is worth a probe: {} are not taken", explore_left_);
    explore_left_ = 0;
    return false;
  }
  --explore_left_;
  begin_probe(std::move(*probe));
  return true;
}

void Pilot::begin_probe(TakeProbe probe) {
  begin_search();
  probe_begins_ = true;
  auto& plan = probe.meanwhile;
  plan.mode_name = board_.name_of(probe.measure.mode);
  plan.power_budget_w = budget_.power_w();
  plan.notes.emplace_back(plan.inference.empty()
                              ? "the power mode is being searched for"
                              : "the power mode is being searched for; this is how requests "
                                "are answered meanwhile");
  auto set = setting(plan, worker::ProbeOrder{probe.job, probe.measure.batch_size, probe.step_bound_ms});
  stage_.set(std::move(set), [this, probe = std::move(probe)](const Expected<void>& changed) {
    probe_begins_ = false;
    if (!changed) {
      count_failure(probe.job, {probe.measure.task, probe.measure.mode, probe.measure.batch_size});
      return board_failed(changed.error());
    }
    probe_begun(probe);
  });
}

void Pilot::probe_begun(const TakeProbe& probe) {
  hooks_.trouble("");
  const auto& measure = probe.measure;
  plan_ = probe.meanwhile;
  settlement_.reset();
  const auto job = jobs_.find(probe.job);
  if (job == jobs_.end()) {  // it ended while the stage was set
    probe_steps_run_ = true;
    return think_again_later(Duration::zero());
  }
  probe_steps_run_ = true;
  ProbeRun::Order order;
  order.job = probe.job;
  order.key = profiles_.key_of(job->second.spec, measure.mode, measure.batch_size);
  order.settings = probe_settings(config_, board_.board(), probe.step_bound_ms);
  order.idle_w = board_.least_power_w();
  order.foreign_power_w = [this, mode = measure.mode](JobId id, int batch_size) -> std::optional<double> {
    const auto other = jobs_.find(id);
    if (other == jobs_.end()) return std::nullopt;
    const auto* profile = other->second.profiles.covering(task_of(other->second.spec), mode, batch_size);
    return profile != nullptr ? std::optional<double>(profile->power_w) : std::nullopt;
  };
  tell_probe(probe.job, order.key, "begun", Json::object());
  hooks_.status(fmt::format("probe {}: {}", search_->probes + 1, measure.to_string()));
  probe_foreign_load_ = 0;
  probe_.emplace(std::move(order), board_.board(), clock_);
}

void Pilot::end_probe() {
  const JobId job = probe_->job();
  const auto key = probe_->key();
  auto result = *probe_->result();
  probe_.reset();
  // Not only the caps, which the probe has read: a lower minimum lets clocks sink.
  if (const auto changes = board_.foreign_changes(); changes && !changes->empty())
    result = profiler::InvalidProbe{profiler::ProbeFault::mode_changed, changes->front().to_string()};
  if (auto* measurement = std::get_if<profiler::Measurement>(&result)) {
    if (probe_foreign_load_ > 0) measurement->foreign_gpu_load = probe_foreign_load_;
    take_over(*measurement);
    tell_probe(job, key, "measured",
               {{"p50_ms", measurement->time.p50_ms},
                {"p99_ms", measurement->time.p99_ms},
                {"power_w", measurement->power_w}});
  } else {
    probe_failed(job, key, std::get<profiler::InvalidProbe>(result));
  }
  think();
}

void Pilot::take_over(const profiler::Measurement& measurement) {
  const auto& key = measurement.key;
  ++search_->probes;
  search_->modes.insert(key.mode);
  log_->info("probe {}: {} in {}, batch {}: p50 {:.2f} ms, p99 {:.2f} ms, {:.1f} W ({:.1f} s)",
             search_->probes, to_string(key.task), key.mode.to_string(), key.batch_size,
             measurement.time.p50_ms, measurement.time.p99_ms, measurement.power_w, measurement.cost_s);
  if (const auto stored = profiles_.add(measurement); !stored)
    log_->error("a measurement is not kept: {}", stored.error().to_string());
  for (auto& [id, job] : jobs_) {
    if (profiles_.fingerprint_of(job.spec) != key.fingerprint) continue;
    // As a restart would find it, so that it decides alike.
    const auto stored = profiles_.profiles_of(job.spec);
    const auto* pooled = stored ? stored->find(key.task, key.mode, key.batch_size) : nullptr;
    const auto added = pooled != nullptr
                           ? job.profiles.add(*pooled)
                           : job.profiles.pool({key.task, key.mode, key.batch_size, measurement.time.p50_ms,
                                                measurement.time.p99_ms, measurement.power_w});
    if (!added) log_->error("a measurement cannot be used: {}", added.error().to_string());
  }
}

void Pilot::probe_failed(JobId job, const profiler::MeasurementKey& key,
                         const profiler::InvalidProbe& invalid) {
  using profiler::ProbeFault;
  if (invalid.fault == ProbeFault::mode_changed) {
    board_.distrust_mode();
    note_foreign_change(invalid.message);
  }
  log_->warn("a probe is invalid ({}): {}", to_string(invalid.fault), invalid.message);
  tell_probe(job, key, "invalid", {{"message", invalid.message}});
  count_failure(job, profile_key(key));
}

void Pilot::count_failure(JobId job, const scheduler::ProfileSet::Key& key) {
  const std::pair probed{job, key};
  if (++failures_[probed] >= kFailuresBeforeGivingUp) unmeasurable_.insert(probed);
}

void Pilot::cancel_probe(const std::string& why) {
  if (!probe_) return;
  log_->debug("a probe is abandoned: {}", why);
  probe_.reset();
}

void Pilot::stop_probe_steps() {
  if (!probe_steps_run_) return;
  probe_steps_run_ = false;
  hooks_.send(setting(plan_ ? *plan_ : scheduler::Plan{}));
}

void Pilot::tell_probe(JobId job, const profiler::MeasurementKey& key, const char* state, Json more) {
  Json detail{{"number", search_->probes + (std::string_view(state) == "measured" ? 0 : 1)},
              {"task", to_string(key.task)},
              {"mode", key.mode.to_json()},
              {"batch_size", key.batch_size},
              {"state", state}};
  detail.update(more);
  hooks_.tell(job, "probe", std::move(detail));
}

}  // namespace fulcrum::daemon

// What the control socket asks of the control loop.

#include <fmt/format.h>

#include <utility>

#include "daemon/board_doctor.h"
#include "daemon/control_loop.h"
#include "daemon/job_json.h"

namespace fulcrum::daemon {

namespace {

// Who serves another job's network has not said what it is.
std::vector<Error> in_words_of(const JobSpec& submitted, std::vector<Error> faults) {
  for (auto& fault : faults) {
    if (submitted.model.served && fault.field.rfind("/model/", 0) == 0) fault.field = submitted.model.field();
  }
  return faults;
}

}  // namespace

void ControlLoop::submit(SubmitRequest request, SubmitReply reply) {
  auto spec = JobSpec::from_json(request.spec);
  if (!spec) return reply(faulty(std::move(spec.error())));
  const JobSpec as_submitted = *spec;
  std::optional<JobId> known;
  if (request.client_token) {
    auto found = store_.find_token(*request.client_token);
    if (!found) return reply(faulty(found.error()));
    known = *found;
  }
  auto served = resolve_served(*spec, store_, known);
  if (!served) return reply(faulty(served.error()));
  if (auto pace = board_->pace(*spec, std::nullopt); !pace) return reply(faulty(pace.error()));
  if (auto checked = pilot_->check(*spec); !checked) return reply(faulty(checked.error()));
  // A safe retry must not fail because of what has changed since the first try, or was measured.
  if (known) {
    auto added = store_.add(as_submitted.to_json(), request.client_token, clock_.wall_ms());
    return added ? reply(Json{{"id", added->id}}) : reply(faulty(added.error()));
  }
  if (auto fits = check_memory(*spec); !fits) return reply(faulty(fits.error()));
  if (*served) {
    if (auto weights = check_has_weights(**served, store_, config_); !weights)
      return reply(faulty(weights.error()));
  }
  submissions_.check(*spec, [this, as_submitted, spec = *spec, request = std::move(request),
                             reply = std::move(reply)](std::vector<Error> faults) {
    if (!faults.empty()) return reply(faulty(in_words_of(as_submitted, std::move(faults))));
    if (request.dry_run) return reply(Json{{"dry_run", true}, {"search", pilot_->expected_search(spec)}});
    auto id = add_job(as_submitted, request.client_token);
    return id ? reply(Json{{"id", *id}}) : reply(faulty(id.error()));
  });
}

Expected<JobId> ControlLoop::add_job(const JobSpec& spec, const std::optional<std::string>& token) {
  FULCRUM_TRY_ASSIGN(added, store_.add(spec.to_json(), token, clock_.wall_ms()));
  if (added.existed) return added.id;
  FULCRUM_TRY_ASSIGN(record, store_.get(added.id));
  FULCRUM_TRY(activate(std::move(record)));
  log_->info("job {} '{}' submitted: {}", added.id, spec.name, spec.kind_name());
  publish(active_.at(added.id), "state");
  launch_waiting();
  return added.id;
}

Json ControlLoop::jobs() const {
  Json summaries = Json::array();
  if (const auto records = store_.list()) {
    for (const auto& record : *records) {
      const auto active = active_.find(record.id);
      summaries.push_back(summary_of(active == active_.end() ? record : active->second.record));
    }
  } else {
    return {{"jobs", std::move(summaries)}, {"error", records.error().to_string()}};
  }
  return {{"jobs", std::move(summaries)}};
}

Expected<Json> ControlLoop::job(JobId id) const {
  if (const auto active = active_.find(id); active != active_.end()) return details_of(active->second.record);
  FULCRUM_TRY_ASSIGN(record, store_.get(id));
  return details_of(record);
}

Expected<Json> ControlLoop::result(JobId id) const {
  FULCRUM_TRY_ASSIGN(record, store_.get(id));
  if (!record.result) {
    return fail(ErrorCode::unavailable,
                fmt::format("job {} has no result: it is {}", id, to_string(record.state)),
                has_ended(record.state) ? "job.get tells what happened" : "wait for it with job.watch");
  }
  return Json{{"id", id},
              {"name", record.spec.value("name", "")},
              {"state", to_string(record.state)},
              {"result", *record.result}};
}

Expected<Json> ControlLoop::cancel(JobId id) {
  auto* job = find(id);
  if (job == nullptr || job->phase == Phase::stopping) {
    FULCRUM_TRY_ASSIGN(record, store_.get(id));
    return fail(ErrorCode::invalid_argument,
                fmt::format("job {} has ended: it is {}", id, to_string(record.state)));
  }
  // Durable before the answer: a cancelled job must not come back after a crash.
  FULCRUM_TRY(store_.finish(id, {JobState::cancelled, {}, {}, job->record.progress}, clock_.wall_ms()));
  job->record.state = JobState::cancelled;
  publish(*job, "state");
  if (job->phase == Phase::waiting) {
    log_->info("job {} '{}' cancelled", id, job->spec.name);
    active_.erase(id);
    give_board_back_if_idle();
  } else {
    job->phase = Phase::stopping;
    worker_.send(worker::StopJob{id});
    if (!pilot_->remove(id)) pilot_->think();  // it may have waited for this one to be loaded
  }
  return Json{{"id", id}, {"state", to_string(JobState::cancelled)}};
}

Json ControlLoop::plan() const {
  const auto& plan = pilot_->plan();
  Json answer{{"plan", plan ? plan->to_json() : Json()}, {"worker", worker_.up() ? "up" : "down"}};
  if (!worker_.up() && !worker_.trouble().empty()) answer["worker_trouble"] = worker_.trouble();
  if (!board_trouble_.empty()) answer["board_trouble"] = board_trouble_;
  if (plan && !plan->notes.empty()) answer["notes"] = plan->notes;
  return answer;
}

Json ControlLoop::explain() const {
  Json answer = plan();
  answer.update(pilot_->explain());
  return answer;
}

Expected<Json> ControlLoop::set_budget(std::optional<double> power_w) {
  FULCRUM_TRY(pilot_->set_budget(power_w));
  return pilot_->budget();
}

Expected<Json> ControlLoop::reset_budget() {
  FULCRUM_TRY(pilot_->reset_budget());
  return pilot_->budget();
}

Expected<Json> ControlLoop::list_profiles(const std::optional<std::string>& workload) {
  return profiles_.list(workload);
}

Expected<Json> ControlLoop::forget_profiles(const std::optional<std::string>& workload) {
  FULCRUM_TRY_ASSIGN(answer, profiles_.forget(workload));
  // What is measured from now on rests on the pace of the jobs that run.
  for (const auto& [id, job] : active_) {
    if (job.kappa) check(profiles_.keep_kappa(job.spec, *job.kappa), "storing a calibration");
  }
  pilot_->profiles_changed();
  return answer;
}

Expected<Json> ControlLoop::explore_profiles(int probes) {
  return pilot_->explore(probes);
}

Expected<Json> ControlLoop::export_profiles(const std::optional<std::string>& workload, std::size_t offset,
                                            std::size_t limit) {
  return profiles_.export_part(workload, offset, limit);
}

Checked<Json> ControlLoop::import_profiles(const Json& document, bool equal_board) {
  auto answer = profiles_.import(document, equal_board);
  if (answer) pilot_->profiles_changed();
  return answer;
}

Expected<Json> ControlLoop::board() const {
  return board_->describe();
}

Expected<Json> ControlLoop::board_modes() const {
  return board_->describe_modes();
}

Json ControlLoop::board_sensors() const {
  return board_->describe_sensors();
}

Expected<Json> ControlLoop::board_report() const {
  FULCRUM_TRY_ASSIGN(report, examine_board(config_, clock_, &board_->board()));
  if (const auto foreign = board_->foreign_gpu_load(); foreign.value_or(0) > 0) {
    report.findings.push_back({"GPU", Finding::Weight::note,
                               fmt::format("other programs use it for {:.0f} % of the time", 100 * *foreign),
                               "measurements taken meanwhile are marked, and steps take longer than planned",
                               "tegrastats or jtop show which"});
  }
  return report.to_json();
}

Json ControlLoop::trace(double seconds, std::optional<std::uint64_t> from,
                        std::optional<std::uint64_t> to) const {
  SliceTrace::Range range;
  range.since = clock_.now() - from_ms(1000 * seconds);
  range.from = from;
  range.to = to;
  return trace_.get(range);
}

Expected<Control::SubscriptionId> ControlLoop::watch(std::optional<JobId> id, EventSink sink) {
  std::vector<Json> now;
  if (id && active_.count(*id) == 0) {
    FULCRUM_TRY_ASSIGN(record, store_.get(*id));
    now.push_back(event_of(record, "state"));
  }
  for (const auto& [active_id, job] : active_) {
    if (!id || *id == active_id) now.push_back(event_of(job.record, "state"));
  }
  const auto subscription = subscriptions_.add(id, sink);
  for (const auto& event : now)
    sink(event);
  return subscription;
}

}  // namespace fulcrum::daemon

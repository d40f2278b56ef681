// What the control loop makes of the worker: of its words, its silence and its end.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/control_loop.h"
#include "daemon/job_json.h"

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::seconds kStoreProgressEvery{2};
// In a row: of a worker that ended in the midst of the job's own work; of one that left no trace.
constexpr int kOwnDeathsBeforeGivingUp = 3;
constexpr int kDeathsBeforeGivingUp = 5;
constexpr std::chrono::minutes kForgivenAfter{10};
// A step that takes so many times longer than is known of it does not end.
constexpr double kHangFactor = 20;
constexpr std::chrono::minutes kLimitOfTheUnknown{10};

// Since its worker has begun: a step of training or validation was taken, or a request answered.
bool has_worked(const Json& before, const Json& now) {
  return now.value("steps", std::uint64_t{0}) > 0 ||
         now.value("served", std::uint64_t{0}) > before.value("served", std::uint64_t{0});
}

}  // namespace

void ControlLoop::worker_up() {
  submissions_.worker_up();
  launch_waiting();
}

void ControlLoop::worker_down(const WorkerEnd& end) {
  board_->report_idle();
  pilot_->worker_down();
  status_("the worker " + end.how);
  const auto* culprit = end.culprit ? find(*end.culprit) : nullptr;
  std::vector<JobId> hopeless;
  std::vector<JobId> stopped;
  for (auto& [id, job] : active_) {
    if (job.live && job.spec.inference() != nullptr && !unanswered_since_) unanswered_since_ = clock_.now();
    if (job.phase == Phase::stopping) stopped.push_back(id);
    const bool had_part = culprit != nullptr ? &job == culprit : job.phase != Phase::waiting;
    job.phase = Phase::waiting;
    if (had_part && count_death(job, end)) hopeless.push_back(id);
  }
  for (const auto id : stopped)
    active_.erase(id);
  for (const auto id : hopeless) {
    if (const auto* job = find(id)) end_job(id, {JobState::failed, job->deaths.to_string(end.how), {}, {}});
  }
  give_board_back_if_idle();
}

std::string ControlLoop::Deaths::to_string(const std::string& how) const {
  return fmt::format("the worker died {} times in a row {} it; the last time it {}", count,
                     by_its_own_work ? "of" : "with", how);
}

// True: it is one too many.
bool ControlLoop::count_death(ActiveJob& job, const WorkerEnd& end) {
  auto& deaths = job.deaths;
  ++deaths.count;
  deaths.by_its_own_work = end.culprit.has_value();
  deaths.from_outside = end.from_outside;
  deaths.last = clock_.now();
  if (deaths.by_its_own_work) {
    log_->warn("job {} '{}' was at work when the worker {} ({} in a row)", job.record.id, job.spec.name,
               end.how, deaths.count);
    publish(job, "fault", {{"message", "the worker " + end.how}, {"in_a_row", deaths.count}});
  }
  return deaths.count >= (deaths.by_its_own_work ? kOwnDeathsBeforeGivingUp : kDeathsBeforeGivingUp);
}

// Work forgives what came from outside; what the job did itself it may do again after as much work.
void ControlLoop::forgive_deaths(ActiveJob& job) const {
  const bool own = job.deaths.by_its_own_work && !job.deaths.from_outside;
  if (!own || clock_.now() - job.deaths.last > kForgivenAfter) job.deaths = {};
}

// Beside the slices the worker goes on, so that its heartbeat tells nothing of a step that hangs.
void ControlLoop::watch_step() {
  const auto step = worker_.step();
  if (!step) return;
  const auto known_ms = pilot_->longest_step_ms(step->job);
  const Duration patience = from_ms(1000 * config_.worker.step_timeout_s);
  const Duration limit =
      known_ms ? std::max(patience, from_ms(kHangFactor * *known_ms)) : Duration(kLimitOfTheUnknown);
  const Duration taken = clock_.now() - step->since;
  if (taken <= limit) return;
  worker_.replace(fmt::format("a step of job {} has not ended after {:.0f} s", step->job, to_s(taken)));
}

// How long nobody was answered.
void ControlLoop::note_answers(const worker::Load& load) {
  if (!unanswered_since_) return;
  for (const auto& slice : load.slices) {
    const auto* job = find(slice.job);
    if (job == nullptr || job->spec.inference() == nullptr || !job->live || slice.probe) continue;
    log_->info("requests are answered again, {:.0f} ms after the worker ended",
               to_ms(from_ns(slice.ended_ns) - *unanswered_since_));
    unanswered_since_.reset();
    return;
  }
}

// The power of a step is that of the board, as the sensors showed it last.
void ControlLoop::account_slices(const worker::Load& load) {
  const double power_w = board_->power_w().value_or(0);
  for (const auto& slice : load.slices) {
    auto* job = find(slice.job);
    trace_.add(slice, job == nullptr ? nullptr : &job->spec);
    if (job == nullptr) continue;
    job->device.add(to_s(from_ns(slice.ended_ns) - from_ns(slice.started_ns)), power_w);
  }
}

void ControlLoop::take_progress(ActiveJob& job, Json progress) {
  if (!progress.is_object()) progress = Json::object();
  job.device.write_to(progress);
  if (const auto bytes = memory_in(progress); bytes > job.memory_bytes) {
    job.memory_bytes = bytes;
    check(profiles_.keep_memory(job.spec, bytes), "storing how much memory a job takes");
  }
  job.record.progress = std::move(progress);
}

void ControlLoop::handle(worker::FromWorker&& message) {
  if (auto* checked = std::get_if<worker::JobChecked>(&message)) {
    submissions_.handle(std::move(*checked));
  } else if (auto* ready = std::get_if<worker::JobReady>(&message)) {
    handle(std::move(*ready));
  } else if (auto* progress = std::get_if<worker::JobProgress>(&message)) {
    handle(std::move(*progress));
  } else if (auto* ended = std::get_if<worker::JobEnded>(&message)) {
    handle(std::move(*ended));
  } else if (auto* load = std::get_if<worker::Load>(&message)) {
    board_->report_load(*load, [this](JobId id) {
      const auto* job = find(id);
      return job == nullptr ? nullptr : &job->spec;
    });
    note_answers(*load);
    account_slices(*load);
    pilot_->slices(load->slices);
  } else if (const auto* thought = std::get_if<worker::Thought>(&message)) {
    pilot_->thought(*thought);
  } else if (std::holds_alternative<worker::Held>(message)) {
    pilot_->worker_holds();
  }
}

void ControlLoop::handle(worker::JobReady message) {
  auto* job = find(message.job);
  if (job == nullptr || job->phase != Phase::starting) return;
  job->phase = Phase::ready;
  job->kappa = message.kappa;
  if (message.kappa) check(profiles_.keep_kappa(job->spec, *message.kappa), "storing a calibration");
  pilot_->add(message.job, job->spec, std::move(message.step_times), job->live);
}

void ControlLoop::handle(worker::JobProgress message) {
  auto* job = find(message.job);
  if (job == nullptr || job->phase == Phase::stopping) return;
  if (has_worked(job->record.progress, message.progress)) forgive_deaths(*job);
  const auto epoch = epoch_since(job->record.progress, message.progress);
  take_progress(*job, std::move(message.progress));
  job->resume = std::move(message.resume);
  publish(*job, "progress");
  if (epoch) publish(*job, "epoch", *epoch);
  if (clock_.now() - job->stored_at >= kStoreProgressEvery) store_progress(*job);
  pilot_->progress(message.job, job->record.progress, message.step_times);
}

void ControlLoop::handle(worker::JobEnded message) {
  auto* job = find(message.job);
  if (job == nullptr) return;
  const bool was_loading = !pilot_->has(message.job);
  if (!message.progress.is_null()) take_progress(*job, std::move(message.progress));
  job->resume = std::move(message.resume);
  std::optional<Json> result;
  if (!message.result.is_null()) {
    result = std::move(message.result);
    job->device.write_to(*result);
  }
  const auto error = message.error ? std::optional<std::string>(message.error->to_string()) : std::nullopt;
  if (job->phase == Phase::stopping) {
    end_job(message.job, {JobState::cancelled, error, result, job->record.progress});
  } else if (message.outcome == worker::Outcome::stopped) {
    store_progress(*job);  // it goes on another day
    if (error) log_->error("job {}: {}", message.job, *error);
    job->phase = Phase::waiting;
    pilot_->remove(message.job);
  } else {
    const auto state = message.outcome == worker::Outcome::done ? JobState::done : JobState::failed;
    end_job(message.job, {state, error, result, job->record.progress});
  }
  if (was_loading) pilot_->think();  // it may have waited for this one
}

}  // namespace fulcrum::daemon

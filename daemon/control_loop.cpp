#include "daemon/control_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/durable_file.h"
#include "daemon/job_json.h"

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::milliseconds kProbeTick{50};
constexpr std::chrono::seconds kBoardRetryAfter{5};

}  // namespace

ControlLoop::ControlLoop(Parts parts)
    : io_(parts.io),
      clock_(parts.clock),
      config_(std::move(parts.config)),
      log_(parts.log),
      status_(std::move(parts.status)),
      store_(std::move(parts.store)),
      board_(std::move(parts.board)),
      profiles_(std::move(parts.profiles)),
      worker_(io_, std::move(parts.worker), parts.log,
              {[this](const worker::Hello&) { worker_up(); },
               [this](worker::FromWorker&& message) { handle(std::move(message)); },
               [this](const WorkerEnd& end) { worker_down(end); }}),
      submissions_(io_, worker_),
      tick_timer_(io_) {}

Expected<std::unique_ptr<ControlLoop>> ControlLoop::make(Parts parts) {
  auto budget = std::move(parts.budget);
  std::unique_ptr<ControlLoop> loop(new ControlLoop(std::move(parts)));
  FULCRUM_TRY_ASSIGN(pilot, Pilot::make({loop->clock_, loop->config_, loop->log_, *loop->board_,
                                         loop->profiles_, std::move(budget), loop->pilot_hooks()}));
  loop->pilot_ = std::move(pilot);
  return loop;
}

Pilot::Hooks ControlLoop::pilot_hooks() {
  return {[this](const worker::ToWorker& message) { worker_.send(message); },
          status_,
          [this] { return jobs_arrive(); },
          [this](JobId id, JobState state) { job_stands(id, state); },
          [this](JobId id, const std::string& event, Json detail) {
            if (const auto* job = find(id)) publish(*job, event, std::move(detail));
          },
          [this](const std::string& trouble) { board_trouble_ = trouble; },
          [this](const std::string& why) { worker_.replace(why); }};
}

Expected<void> ControlLoop::start() {
  FULCRUM_TRY_ASSIGN(records, store_.list_active());
  for (auto& record : records) {
    const JobId id = record.id;
    if (auto activated = activate(std::move(record)); !activated) {
      log_->error("job {} cannot be taken up again: {}", id, activated.error().to_string());
      FULCRUM_TRY(
          store_.finish(id, {JobState::failed, activated.error().to_string(), {}, {}}, clock_.wall_ms()));
    }
  }
  if (!active_.empty()) log_->info("taking up {} unfinished job(s)", active_.size());
  status_(active_.empty() ? "no job runs" : "unfinished jobs are taken up");
  worker_.start();
  tick();
  return {};
}

void ControlLoop::stop(std::function<void()> stopped) {
  stopping_ = true;
  pilot_->stop();
  tick_timer_.cancel();
  submissions_.abandon();
  worker_.stop([this, stopped = std::move(stopped)] {
    for (auto& [id, job] : active_)
      store_progress(job);
    board_->report_idle();
    board_->give_back();
    stopped();
  });
}

// ---- jobs ----

ControlLoop::ActiveJob* ControlLoop::find(JobId id) {
  const auto it = active_.find(id);
  return it == active_.end() ? nullptr : &it->second;
}

Expected<void> ControlLoop::activate(JobRecord record) {
  auto spec = JobSpec::from_json(record.spec);
  if (!spec) return Unexpected(spec.error().front());
  FULCRUM_TRY_ASSIGN(served, resolve_served(*spec, store_, record.id));
  FULCRUM_TRY(pilot_->check(*spec));
  ActiveJob job;
  job.served = served;
  FULCRUM_TRY_ASSIGN(memory_bytes, profiles_.memory_of(*spec));
  job.memory_bytes = memory_bytes.value_or(0);
  job.spec = std::move(*spec);
  job.live = record.started_ms.has_value();  // whatever was stored since, while it was loaded anew
  job.resume = take_resume(record);
  job.device = DeviceUse::in(record.progress);
  job.record = std::move(record);
  active_.insert_or_assign(job.record.id, std::move(job));
  return {};
}

void ControlLoop::launch_waiting() {
  if (stopping_ || !worker_.up() || pilot_->probing()) return;
  const bool any = std::any_of(active_.begin(), active_.end(),
                               [](const auto& entry) { return entry.second.phase == Phase::waiting; });
  if (!any || !take_board()) return;
  // Those whose requests wait for answers first.
  std::vector<JobId> waiting;
  std::vector<JobId> trainings;
  for (const auto& [id, job] : active_) {
    if (job.phase == Phase::waiting) (job.spec.inference() != nullptr ? waiting : trainings).push_back(id);
  }
  waiting.insert(waiting.end(), trainings.begin(), trainings.end());
  for (const auto id : waiting) {
    if (auto& job = active_.at(id); has_memory(job)) launch(job);
  }
}

// Not yet: then the job says why.
bool ControlLoop::has_memory(ActiveJob& job) {
  constexpr const char* kWaits = "waiting_for";
  const bool waited = job.record.progress.erase(kWaits) > 0;
  const auto memory = board_->board().read_memory();
  if (job.memory_bytes == 0 || !memory) return true;
  std::int64_t promised = 0;
  for (const auto& [id, other] : active_) {
    if (other.phase == Phase::starting) promised += other.memory_bytes;
  }
  const auto why =
      MemoryAdmission(config_.memory_headroom_bytes()).why_it_waits(job.memory_bytes, promised, *memory);
  if (!why) return true;
  job.record.progress[kWaits] = *why;
  if (!waited) {
    log_->warn("job {} '{}' waits for {}", job.record.id, job.spec.name, *why);
    publish(job, "progress");
  }
  return false;
}

Expected<void> ControlLoop::check_memory(const JobSpec& spec) {
  FULCRUM_TRY_ASSIGN(need_bytes, profiles_.memory_of(spec));
  const auto memory = board_->board().read_memory();
  if (!need_bytes || !memory) return {};  // the doctor tells of a board whose memory cannot be read
  return MemoryAdmission(config_.memory_headroom_bytes()).check_ever_fits(*need_bytes, *memory);
}

void ControlLoop::launch(ActiveJob& job) {
  auto order = order_to_start(job);
  if (!order) {
    end_job(job.record.id, {JobState::failed, order.error().to_string(), {}, {}});
    return;
  }
  job.phase = Phase::starting;
  worker_.send(std::move(*order));
  set_state(job, JobState::starting);
}

Expected<worker::StartJob> ControlLoop::order_to_start(const ActiveJob& job) {
  worker::StartJob order;
  order.job = job.record.id;
  order.spec = job.spec;
  FULCRUM_TRY_ASSIGN(directory, make_checkpoint_directory(config_, order.job));
  order.checkpoint_directory = std::move(directory);
  order.threads = static_cast<int>(config_.worker.threads);
  FULCRUM_TRY_ASSIGN(kappa, profiles_.kappa_of(job.spec));
  FULCRUM_TRY_ASSIGN(pace, board_->pace(job.spec, kappa));
  order.pace = std::move(pace);
  order.resume = job.resume;
  order.measure = board_->fixed_mode().has_value();
  if (job.served) {
    FULCRUM_TRY_ASSIGN(of_training, make_checkpoint_directory(config_, job.served->id));
    order.served = worker::ServedJob{job.served->id, std::move(of_training), job.served->gated};
  }
  return order;
}

void ControlLoop::set_state(ActiveJob& job, JobState state) {
  if (job.record.state == state) return;
  check(store_.update_state(job.record.id, state, clock_.wall_ms()), "storing a job's state");
  job.record.state = state;
  publish(job, "state");
}

void ControlLoop::end_job(JobId id, JobStore::End end) {
  auto& job = active_.at(id);
  if (end.error) {
    log_->error("job {} '{}' {}: {}", id, job.spec.name, to_string(end.state), *end.error);
  } else {
    log_->info("job {} '{}' {}", id, job.spec.name, to_string(end.state));
  }
  check(store_.finish(id, end, clock_.wall_ms()), "storing the end of a job");
  job.record.state = end.state;
  if (end.error) job.record.error = end.error;
  if (end.progress) job.record.progress = *end.progress;
  publish(job, "state");
  active_.erase(id);
  pilot_->remove(id);
  give_board_back_if_idle();
}

void ControlLoop::store_progress(ActiveJob& job) {
  job.stored_at = clock_.now();
  check(store_.update_progress(job.record.id, with_resume(job.record.progress, job.resume)),
        "storing a job's progress");
}

void ControlLoop::check(const Expected<void>& stored, const char* doing) {
  if (!stored) log_->error("{}: {}", doing, stored.error().to_string());
}

void ControlLoop::publish(const ActiveJob& job, const char* event) {
  subscriptions_.publish(job.record.id, event_of(job.record, event));
}

void ControlLoop::publish(const ActiveJob& job, const std::string& event, Json detail) {
  Json told = event_of(job.record, event);
  told[event] = std::move(detail);
  subscriptions_.publish(job.record.id, told);
}

// ---- board and pilot ----

bool ControlLoop::jobs_arrive() {
  launch_waiting();
  return std::any_of(active_.begin(), active_.end(),
                     [](const auto& entry) { return entry.second.phase == Phase::starting; });
}

void ControlLoop::job_stands(JobId id, JobState state) {
  auto* job = find(id);
  if (job == nullptr || job->phase != Phase::ready) return;
  if (state == JobState::running) job->live = true;
  set_state(*job, state);
}

bool ControlLoop::take_board() {
  if (board_->held()) return true;
  if (clock_.now() < board_retry_at_) return false;
  if (auto taken = board_->take(pilot_->first_mode()); !taken) {
    const auto trouble = taken.error().to_string();
    board_retry_at_ = clock_.now() + kBoardRetryAfter;
    const bool is_new = std::exchange(board_trouble_, trouble) != trouble;
    log_->log(is_new ? spdlog::level::err : spdlog::level::debug, "jobs wait, the board cannot be had: {}",
              trouble);
    return false;
  }
  board_trouble_.clear();
  return true;
}

void ControlLoop::give_board_back_if_idle() {
  if (!active_.empty()) return;
  unanswered_since_.reset();
  board_->give_back();
}

void ControlLoop::tick() {
  launch_waiting();
  watch_step();
  if (board_->held()) pilot_->tick();
  tick_timer_.expires_after(pilot_->probing() ? kProbeTick : kTick);
  tick_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) tick();
  });
}

}  // namespace fulcrum::daemon

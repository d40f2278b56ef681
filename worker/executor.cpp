#include "worker/executor.h"

#include <malloc.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "common/on_behalf_of.h"

namespace fulcrum::worker {

using scheduler::RunInference;
using scheduler::RunTraining;
using scheduler::RunTrial;
using scheduler::Slice;
using scheduler::Wait;

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;
}  // namespace

Executor::Executor(const Clock& clock, WorkloadFactory& factory, Activity& activity, Send send)
    : clock_(clock),
      factory_(factory),
      activity_(activity),
      send_(std::move(send)),
      background_(std::in_place) {}

// ---- from any thread ----

void Executor::start(StartJob start) {
  inbox_.post([this, start = std::move(start)] { load(start); });
}

void Executor::stop(StopJob stop) {
  inbox_.post([this, stop] { stop_now(stop.job); });
}

void Executor::hold() {
  inbox_.post([this] {
    held_ = true;
    // What is told from now on is about the mode that comes.
    for (auto& [id, job] : training_)
      job.forget_recent_times();
    for (auto& [id, job] : inference_)
      job.forget_recent_times();
    send_(Held{});
  });
}

void Executor::set_plan(SetPlan set) {
  inbox_.post([this, set = std::move(set)] { adopt_plan(set); });
}

void Executor::shut_down() {
  inbox_.post([this] { shutting_down_ = true; });
}

// ---- jobs come and go ----

void Executor::load(const StartJob& start) {
  loading_.insert(start.job);
  background_->post([this, start] {
    const OnBehalfOf job(start.job);
    activity_.load_begins(start.job);
    ::malloc_trim(0);  // what earlier jobs have left is not this one's
    const auto before = read_memory();
    auto build = factory_.load(start, [this] { inbox_.wake(); });
    activity_.load_ends();
    inbox_.post([this, start, before, build = std::move(build)] { adopt(start, build, before); });
  });
}

void Executor::adopt(const StartJob& start, Expected<WorkloadFactory::Build> build,
                     const Expected<MemoryReading>& before) {
  if (loading_.erase(start.job) == 0) return;  // stopped meanwhile
  auto workload = build ? this->build(start.job, *build) : Expected<Workload>(Unexpected(build.error()));
  auto adopted = workload ? adopt_workload(start, std::move(*workload)) : Unexpected(workload.error());
  if (!adopted) {
    end({start.job, Outcome::failed, adopted.error(), nullptr, start.resume, nullptr});
    return;
  }
  MemoryMeter& memory = memory_of(start.job);
  memory = MemoryMeter(factory_.device_takes_machine_memory());
  if (const auto now = read_memory(); before && now) {
    memory.begin(*before);
    memory.loaded(*now);
  }
  measuring_.insert(start.job);
}

MemoryMeter& Executor::memory_of(JobId job) {
  const auto training = training_.find(job);
  return training != training_.end() ? training->second.memory() : inference_.at(job).memory();
}

Expected<Workload> Executor::build(JobId job, const WorkloadFactory::Build& build) {
  const OnBehalfOf on_behalf(job);
  activity_.step_begins({job, 0, clock_.now()});
  auto workload = build();
  activity_.step_ends();
  return workload;
}

Expected<void> Executor::adopt_workload(const StartJob& start, Workload workload) {
  if (auto* training = std::get_if<std::unique_ptr<TrainingWorkload>>(&workload)) {
    training_.emplace(start.job, TrainingJob(start, std::move(*training)));
    return {};
  }
  auto made = InferenceJob::make(start, std::move(std::get<std::unique_ptr<InferenceWorkload>>(workload)));
  if (!made) return Unexpected(made.error());
  inference_.emplace(start.job, std::move(*made));
  return {};
}

void Executor::stop_now(JobId job) {
  measuring_.erase(job);
  if (probing(job)) probe_.reset();
  if (loading_.erase(job) > 0) {
    end({job, Outcome::stopped, std::nullopt, nullptr, nullptr, nullptr});
  } else if (const auto training = training_.find(job); training != training_.end()) {
    close_in_background(training->second, Outcome::stopped);
    training_.erase(training);
  } else if (const auto inference = inference_.find(job); inference != inference_.end()) {
    const auto last = inference->second.progress();
    inference_.erase(inference);
    end({job, Outcome::stopped, std::nullopt, last.progress, last.resume, last.progress});
  }
}

// Step times of another mode say nothing about this one.
void Executor::adopt_plan(const SetPlan& set) {
  held_ = false;
  const bool another_mode = set.plan.mode != plan_.mode;
  plan_ = set.plan;
  const auto adopt = [&](auto& jobs) {
    for (auto& [id, job] : jobs) {
      if (another_mode) job.forget_recent_times();
      for (const auto& pace : set.paces) {
        if (pace.job == id) job.pacer().set_mode(pace.entries);
      }
    }
  };
  adopt(training_);
  adopt(inference_);
  begin_probe(set.probe);
}

void Executor::begin_probe(const std::optional<ProbeOrder>& order) {
  if (probe_ && (!order || order->job != probe_->order.job)) {
    if (const auto training = training_.find(probe_->order.job); training != training_.end())
      training->second.workload().end_trial();
  }
  probe_.reset();
  if (!order || (training_.count(order->job) == 0 && inference_.count(order->job) == 0)) return;
  probe_ = Probe{*order, from_ms(order->step_bound_ms)};
}

void Executor::stop_all() {
  std::set<JobId> jobs = loading_;
  for (const auto& [id, job] : training_)
    jobs.insert(id);
  for (const auto& [id, job] : inference_)
    jobs.insert(id);
  for (const auto id : jobs)
    stop_now(id);
}

void Executor::end(JobEnded message) {
  send_(std::move(message));
}

void Executor::fail_job(JobId job, JobProgress last, Error error) {
  measuring_.erase(job);
  if (probing(job)) probe_.reset();
  training_.erase(job);
  inference_.erase(job);
  end({job, Outcome::failed, std::move(error), std::move(last.progress), std::move(last.resume), nullptr});
}

void Executor::close_in_background(TrainingJob& job, Outcome outcome) {
  report_slices();  // of which the job's last is one
  Json progress = job.progress(clock_.now()).progress;
  // A std::function must be copyable, so the workload travels in a shared_ptr.
  const auto workload = std::shared_ptr<TrainingWorkload>(job.take_workload());
  background_->post([send = send_, workload, outcome, id = job.id(), progress = std::move(progress)] {
    const OnBehalfOf owner(id);
    JobEnded message{id, outcome, std::nullopt, progress, nullptr, progress};
    if (outcome == Outcome::stopped) {
      if (auto closed = workload->close(); !closed) message.error = closed.error();
    } else if (auto result = workload->finish(); result) {
      message.result.update(*result);
    } else {
      message.outcome = Outcome::failed;
      message.error = result.error();
    }
    send(std::move(message));
  });
}

// ---- the executor's thread ----

void Executor::run() {
  while (true) {
    for (auto& task : inbox_.take())
      task();
    if (shutting_down_) break;
    settle_trials();
    take_arrivals();
    end_finished_trainings();
    end_finished_replays();
    report_if_due();
    const TimePoint now = clock_.now();
    if (plan_.window_ms > 0) window_.roll(now, from_ms(plan_.window_ms), request_waits());
    run_slice(held_ ? Slice(Wait{}) : next_slice(queues(), plan_, now));
  }
  report_slices();
  stop_all();
  background_.reset();  // waits for it
}

bool Executor::in_plan(JobId job) const {
  return std::any_of(plan_.inference.begin(), plan_.inference.end(),
                     [job](const auto& s) { return s.job == job; });
}

void Executor::take_arrivals() {
  const TimePoint now = clock_.now();
  for (auto& [id, job] : inference_) {
    if (in_plan(id)) job.open(now);
    job.take_arrivals(now);
  }
}

bool Executor::request_waits() const {
  return std::any_of(inference_.begin(), inference_.end(),
                     [](const auto& entry) { return entry.second.queued() > 0; });
}

scheduler::Queues Executor::queues() const {
  scheduler::Queues queues;
  for (const auto& [id, job] : inference_) {
    if (measuring_.count(id) > 0) {
      queues.trials.push_back({id, job.trial().step_bound()});
    } else {
      queues.inference.push_back({id, job.queued(), job.queued() > 0 ? job.oldest_arrival() : TimePoint{}});
    }
  }
  for (const auto& [id, job] : training_) {
    if (measuring_.count(id) > 0) {
      queues.trials.push_back({id, job.trial().step_bound()});
    } else if (!probing(id)) {
      queues.training.push_back({id, job.workload().ready(), job.steps_run()});
    }
  }
  if (probe_ && measuring_.count(probe_->order.job) == 0)
    queues.trials.push_back({probe_->order.job, probe_->longest});
  queues.trained_in_window = window_.trained();
  queues.window_end = window_.end();
  return queues;
}

void Executor::run_slice(const Slice& slice) {
  std::visit(Overloaded{[this](const RunInference& s) { run_inference(s); },
                        [this](const RunTraining& s) { run_training(s); },
                        [this](const RunTrial& s) { run_trial(s); }, [this](const Wait& s) { wait(s); }},
             slice);
}

Executor::Timing Executor::timed(DeviceSlice slice, const Pacer& pacer, const std::function<void()>& step) {
  Timing timing;
  timing.started = clock_.now();
  // The next is likely to last as long as this one did.
  const bool told = last_slice_ > kLoadReportPeriod;
  if (told) report_running(slice, timing.started);
  {
    const OnBehalfOf job(slice.job);
    activity_.step_begins({slice.job, slice.batch_size, timing.started});
    step();
    activity_.step_ends();
  }
  timing.ended = clock_.now();
  timing.real_ms = to_ms(timing.ended - timing.started);
  if (const double target_ms = pacer.target_ms(slice.batch_size); target_ms > timing.real_ms) {
    if (!told && from_ms(target_ms - timing.real_ms) > kLoadReportPeriod)
      report_running(slice, timing.started);
    std::this_thread::sleep_until(timing.started + from_ms(target_ms));
    timing.ended = clock_.now();
  }
  timing.lasted_ms = to_ms(timing.ended - timing.started);
  slice.started_ns = to_ns(timing.started);
  slice.ended_ns = to_ns(timing.ended);
  slice.device_ms = timing.real_ms;
  slices_.push_back(slice);
  last_slice_ = timing.ended - timing.started;
  return timing;
}

// Who watches the device must not learn of a long step when it is over.
void Executor::report_running(DeviceSlice slice, TimePoint started) {
  slice.started_ns = to_ns(started);
  send_(Load{std::exchange(slices_, {}), slice});
}

void Executor::run_inference(const RunInference& slice) {
  auto& job = inference_.at(slice.job);
  window_.inference_started(clock_.now());
  DeviceSlice told{slice.job, slice.batch};
  told.reason = slice.reason;
  told.queued = static_cast<int>(job.queued());
  const auto batch = job.take_batch(slice.batch);
  Expected<std::optional<std::uint64_t>> correct;
  const auto timing = timed(told, job.pacer(), [&] { correct = job.workload().run(batch.requests); });
  if (!correct) {
    fail_job(slice.job, job.progress(), correct.error());
    return;
  }
  job.account_batch(batch, *correct, timing.real_ms, timing.lasted_ms, timing.ended);
}

void Executor::run_training(const RunTraining& slice) {
  auto& job = training_.at(slice.job);
  window_.training_started();
  Expected<TrainingWorkload::Step> stepped;
  const auto timing =
      timed({slice.job, job.batch_size()}, job.pacer(), [&] { stepped = job.workload().step(); });
  if (!stepped) {
    fail_job(slice.job, job.progress(clock_.now()), stepped.error());
    return;
  }
  job.account_step(*stepped, timing.real_ms, timing.lasted_ms, timing.started);
  if (stepped->ends_epoch) report_epoch(job);
  if (!job.workload().finished()) job.workload().checkpoint_if_due();
}

void Executor::run_trial(const RunTrial& slice) {
  if (measuring_.count(slice.job) == 0) return run_probe_step();
  const auto training = training_.find(slice.job);
  auto& trial = training != training_.end() ? training->second.trial() : inference_.at(slice.job).trial();
  const int batch_size = trial.batch_size();
  if (const auto timing = trial_step(slice.job, batch_size)) trial.record(timing->real_ms, timing->ended);
}

void Executor::run_probe_step() {
  const auto order = probe_->order;
  if (const auto timing = trial_step(order.job, order.batch_size))
    probe_->longest = std::max(probe_->longest, from_ms(timing->lasted_ms));
}

Expected<Executor::Timing> Executor::trial_step(JobId id, int batch_size) {
  reset_memory_peak();
  const auto before = read_memory();
  auto timing = untold_step(id, batch_size);
  if (const auto after = read_memory(); timing && before && after) memory_of(id).step(*before, *after);
  return timing;
}

Expected<Executor::Timing> Executor::untold_step(JobId id, int batch_size) {
  Expected<void> stepped;
  DeviceSlice slice{id, batch_size, probing(id)};
  slice.reason = slice.probe ? scheduler::SliceReason::probe : scheduler::SliceReason::new_job;
  const auto training = training_.find(id);
  if (training != training_.end()) {
    auto& job = training->second;
    const auto timing = timed(slice, job.pacer(), [&] { stepped = job.workload().trial_step(); });
    if (stepped) return timing;
    fail_job(id, job.progress(clock_.now()), stepped.error());
  } else {
    auto& job = inference_.at(id);
    const auto timing = timed(slice, job.pacer(), [&] { stepped = job.workload().trial_step(batch_size); });
    if (stepped) return timing;
    fail_job(id, job.progress(), stepped.error());
  }
  return Unexpected(stepped.error());
}

void Executor::wait(const Wait& slice) {
  auto until = slice.until;
  const auto consider = [&until](std::optional<TimePoint> t) {
    if (t && (!until || *t < *until)) until = t;
  };
  for (const auto& [id, job] : inference_)
    consider(job.next_arrival());
  if (!slices_.empty()) consider(next_load_report_);
  if (!training_.empty() || !inference_.empty()) consider(next_progress_report_);
  inbox_.wait(until);
}

}  // namespace fulcrum::worker

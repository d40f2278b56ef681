#include "worker/inference_job.h"

#include <utility>

namespace fulcrum::worker {

namespace {

// The sizes whose requests can be collected inside the budget; the others can never be chosen.
std::vector<int> usable_batch_sizes(const InferenceSpec& spec) {
  std::vector<int> usable{spec.batch_sizes.front()};
  for (std::size_t i = 1; i < spec.batch_sizes.size(); ++i) {
    const double window_ms = 1000.0 * spec.batch_sizes[i] / spec.arrival_rate_hz;
    if (window_ms < spec.latency_budget_ms) usable.push_back(spec.batch_sizes[i]);
  }
  return usable;
}

Trial trial_for(const StartJob& start) {
  return Trial(must_measure(start) ? usable_batch_sizes(*start.spec.inference()) : std::vector<int>{},
               kTrialSamples);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Expected<InferenceJob> InferenceJob::make(const StartJob& start,
                                          std::unique_ptr<InferenceWorkload> workload) {
  const auto& source = start.spec.inference()->source;
  FULCRUM_TRY_ASSIGN(arrivals, scheduler::ArrivalProcess::make(source.process, source.rate_hz, source.seed));
  InferenceJob job(start, std::move(workload), arrivals);
  FULCRUM_TRY(job.resume_from(start.resume));
  return job;
}

InferenceJob::InferenceJob(const StartJob& start, std::unique_ptr<InferenceWorkload> workload,
                           scheduler::ArrivalProcess arrivals)
    : id_(start.job),
      spec_(*start.spec.inference()),
      workload_(std::move(workload)),
      trial_(trial_for(start)),
      pacer_(start.pace),
      arrivals_(arrivals) {}

Expected<void> InferenceJob::resume_from(const Json& resume) {
  if (resume.is_null()) return {};
  try {
    FULCRUM_TRY_ASSIGN(latency, LatencyHistogram::from_json(resume.at("latency")));
    latency_ = std::move(latency);
    inside_budget_ = resume.at("inside_budget").get<std::uint64_t>();
    const Json& correct = resume.at("correct");
    correct_ = correct.is_null() ? std::nullopt : std::optional(correct.get<std::uint64_t>());
    batches_ = resume.at("batches").get<std::uint64_t>();
  } catch (const Json::exception& e) {
    return fail(ErrorCode::corrupt, std::string("resuming the replay: ") + e.what());
  }
  next_index_ = latency_.count();
  if (next_index_ > 0) {
    arrivals_.skip(next_index_ - 1);
    resumed_at_ = arrivals_.next();
  }
  return {};
}

JobReady InferenceJob::settle_trial() {
  auto real = trial_.step_times();
  if (real.empty() && pacer_.paced()) {
    for (const int b : usable_batch_sizes(spec_))
      real.push_back({b, 0, 0});
  }
  if (!pacer_.calibrated()) pacer_.calibrate(real);
  for (auto& t : real)
    t = pacer_.as_paced(t);
  return {id_, std::move(real), pacer_.kappa()};
}

void InferenceJob::schedule_next() {
  next_offset_ = arrivals_.next();
  if (spec_.source.duration_s && to_s(*next_offset_) > *spec_.source.duration_s) next_offset_.reset();
}

void InferenceJob::open(TimePoint now) {
  if (start_) return;
  start_ = now - resumed_at_;
  schedule_next();
}

std::optional<TimePoint> InferenceJob::next_arrival() const {
  if (!start_ || !next_offset_) return std::nullopt;
  return *start_ + *next_offset_;
}

void InferenceJob::take_arrivals(TimePoint now) {
  for (auto arrival = next_arrival(); arrival && *arrival <= now; arrival = next_arrival()) {
    queue_.push_back({next_index_++, *arrival});
    schedule_next();
  }
}

bool InferenceJob::finished() const {
  return start_ && !next_offset_ && queue_.empty();
}

InferenceJob::Batch InferenceJob::take_batch(int n) {
  Batch batch;
  for (int i = 0; i < n; ++i) {
    batch.requests.push_back(queue_.front().index);
    batch.arrivals.push_back(queue_.front().arrival);
    queue_.pop_front();
  }
  return batch;
}

void InferenceJob::account_batch(const Batch& batch, std::optional<std::uint64_t> correct, double real_ms,
                                 double lasted_ms, TimePoint done) {
  const int n = static_cast<int>(batch.requests.size());
  for (const auto arrival : batch.arrivals) {
    const double latency_ms = to_ms(done - arrival);
    latency_.record_ms(latency_ms);
    if (latency_ms <= spec_.latency_budget_ms) ++inside_budget_;
  }
  if (!correct) correct_.reset();
  if (correct_) *correct_ += *correct;
  ++batches_;
  recent_.add(n, lasted_ms);
  pacer_.account(n, real_ms);
}

JobProgress InferenceJob::progress() const {
  JobProgress message;
  message.job = id_;
  message.progress = {{"requests", next_index_},
                      {"served", latency_.count()},
                      {"inside_budget", share(inside_budget_, latency_.count())},
                      {"latency_budget_ms", spec_.latency_budget_ms},
                      {"latency_p50_ms", latency_.percentile_ms(50)},
                      {"latency_p99_ms", latency_.percentile_ms(99)},
                      {"latency_max_ms", latency_.max_ms()},
                      {"batches", batches_}};
  if (correct_) message.progress["accuracy"] = share(*correct_, latency_.count());
  if (memory_.peak_bytes() > 0) message.progress["memory_bytes"] = memory_.peak_bytes();
  if (pacer_.paced()) message.progress["overruns"] = pacer_.overruns();
  message.progress.update(workload_->progress());
  message.resume = {{"latency", latency_.to_json()},
                    {"inside_budget", inside_budget_},
                    {"correct", correct_ ? Json(*correct_) : Json(nullptr)},
                    {"batches", batches_}};
  message.step_times = recent_.summary();
  return message;
}

}  // namespace fulcrum::worker

#pragma once
// An executor over workloads that cost nothing, on a thread of its own, and the daemon's part played for it.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "scheduler/planner.h"
#include "tests/unit/worker/job_specs.h"
#include "worker/executor.h"

namespace fulcrum::worker {

// What the workloads of a test do, and count.
struct Script {
  int training_steps = 20;
  std::atomic<int> steps{0};
  std::atomic<int> trial_steps{0};
  std::atomic<int> closed{0};
  std::atomic<int> finished{0};
  std::atomic<bool> ready{true};
  std::atomic<int> fail_at_step{-1};
  bool fail_load = false;
  bool ends_epochs = false;  // with every step
  std::function<void()> wake;
};

class ScriptedTraining final : public TrainingWorkload {
 public:
  explicit ScriptedTraining(Script& script) : script_(script) {}
  Expected<void> trial_step() override {
    ++script_.trial_steps;
    return {};
  }
  void end_trial() override {}
  bool ready() const override { return script_.ready && !finished(); }
  bool finished() const override { return script_.steps >= script_.training_steps; }
  Expected<Step> step() override {
    if (script_.steps == script_.fail_at_step) return fail(ErrorCode::io, "the disk is gone");
    ++script_.steps;
    return Step{false, script_.ends_epochs};
  }
  void checkpoint_if_due() override {}
  Json progress() const override { return {{"minibatch", script_.steps.load()}}; }
  Expected<void> close() override {
    ++script_.closed;
    return {};
  }
  Expected<Json> finish() override {
    ++script_.finished;
    return Json{{"weights_digest", "abc"}};
  }

 private:
  Script& script_;
};

class ScriptedInference final : public InferenceWorkload {
 public:
  explicit ScriptedInference(Script& script) : script_(script) {}
  Expected<void> trial_step(int) override {
    ++script_.trial_steps;
    return {};
  }
  Expected<std::optional<std::uint64_t>> run(const std::vector<std::uint64_t>& requests) override {
    if (script_.fail_at_step == 0) return fail(ErrorCode::internal, "bad tensor");
    return requests.size();
  }

 private:
  Script& script_;
};

class ScriptedFactory final : public WorkloadFactory {
 public:
  explicit ScriptedFactory(Script& script) : script_(script) {}
  Expected<Build> load(const StartJob& start, std::function<void()> wake) override {
    if (script_.fail_load) return fail(ErrorCode::not_found, "no such file");
    script_.wake = std::move(wake);
    const bool training = start.spec.training() != nullptr;
    return Build([this, training]() -> Expected<Workload> {
      if (training) return Workload(std::make_unique<ScriptedTraining>(script_));
      return Workload(std::make_unique<ScriptedInference>(script_));
    });
  }

 private:
  Script& script_;
};

// Runs an executor on a thread of its own and plays the daemon: plans for whatever gets ready.
class Harness {
 public:
  enum class Plans { for_all, none };

  explicit Harness(Script& script, Plans plans = Plans::for_all)
      : plans_(plans),
        factory_(script),
        executor_(clock_, factory_, activity_, [this](FromWorker message) { receive(std::move(message)); }) {
    thread_ = std::thread([this] { executor_.run(); });
  }
  ~Harness() { shut_down(); }

  void shut_down() {
    if (!thread_.joinable()) return;
    executor_.shut_down();
    thread_.join();
  }

  void start(JobId job, JobSpec spec, std::optional<Pace> pace = std::nullopt) {
    {
      const std::lock_guard lock(mutex_);
      specs_[job] = spec;
    }
    StartJob start;
    start.job = job;
    start.spec = std::move(spec);
    start.pace = std::move(pace);
    executor_.start(std::move(start));
  }

  Executor& executor() { return executor_; }
  // Returns once it holds.
  void hold() {
    const auto held = received<Held>().size();
    executor_.hold();
    wait_until([&] { return static_cast<std::size_t>(count<Held>()) > held; });
  }
  scheduler::Plan plan() {
    const std::lock_guard lock(mutex_);
    return plan_;
  }

  JobEnded wait_for_end(JobId job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.count(job) > 0; });
    return ended_.at(job);
  }
  void wait_until(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }
  // For conditions of wait_until.
  template <class T>
  int count() const {
    return static_cast<int>(std::count_if(messages_.begin(), messages_.end(), [](const auto& message) {
      return std::holds_alternative<T>(message);
    }));
  }
  template <class T>
  bool has() const {
    return count<T>() > 0;
  }
  template <class T>
  std::vector<T> received() {
    const std::lock_guard lock(mutex_);
    std::vector<T> found;
    for (const auto& message : messages_) {
      if (const auto* m = std::get_if<T>(&message)) found.push_back(*m);
    }
    return found;
  }

 private:
  void receive(FromWorker message) {
    const std::lock_guard lock(mutex_);
    const auto* ready = std::get_if<JobReady>(&message);
    if (ready != nullptr && plans_ == Plans::for_all) plan_with(*ready);
    if (const auto* ended = std::get_if<JobEnded>(&message)) ended_[ended->job] = *ended;
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }

  void plan_with(const JobReady& ready) {
    if (const auto* inference = specs_.at(ready.job).inference()) {
      request_.inference.push_back(
          {ready.job, "camera", inference->arrival_rate_hz, inference->latency_budget_ms, ready.step_times});
    } else {
      request_.training.push_back({ready.job, "fashion", ready.step_times.front()});
    }
    plan_ = scheduler::make_managed_plan(request_);
    executor_.set_plan({plan_, {}, {}});
  }

  const Plans plans_;
  SystemClock clock_;
  ScriptedFactory factory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<JobId, JobSpec> specs_;
  scheduler::PlanRequest request_;
  scheduler::Plan plan_;
  std::vector<FromWorker> messages_;
  std::map<JobId, JobEnded> ended_;
  Activity activity_ = Activity::unshared();
  Executor executor_;
  std::thread thread_;
};

inline std::vector<DeviceSlice> slices_of(Harness& harness) {
  std::vector<DeviceSlice> slices;
  for (const auto& load : harness.received<Load>())
    slices.insert(slices.end(), load.slices.begin(), load.slices.end());
  return slices;
}

inline std::vector<DeviceSlice> probe_slices_of(Harness& harness) {
  auto slices = slices_of(harness);
  slices.erase(std::remove_if(slices.begin(), slices.end(), [](const auto& s) { return !s.probe; }),
               slices.end());
  return slices;
}

}  // namespace fulcrum::worker

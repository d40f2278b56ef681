// Speaks the worker's protocol and computes nothing, in a manner that its first argument names, so that the
// daemon can be tested without LibTorch and under the sanitizers:
//   works     does everything right; a training job is done as soon as it is planned
//   lasts     the same, but a training job is never done
//   grips     the same, and it never holds
//   ponders   works, but a job named "slow" is never ready
//   chokes    the same as "lasts", and dies of the first step of a probe
//   crashes   lasts, and crashes in the first training step of a job named "bad"
//   hangs     lasts, and never ends that step
//   muses     works, and when it is asked what to measure, the first of the modes that is not known
//   dreams    lasts, and never says what to measure
//   errs      works, and cannot say what to measure
//   raves     works, and wants to measure what there is not
//   broods    dies of being asked what to measure
//   finds     finds a fault in every job
//   dies      ends whenever it is to start a job
//   silent    never says hello
//   hello     says hello, and then nothing
//   babbles   says hello, and then what is no message
//   old       speaks another version of the protocol
//   deaf      does not shut down

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "common/clock.h"
#include "common/json_lines.h"
#include "common/on_behalf_of.h"
#include "worker/activity.h"
#include "worker/protocol.h"

namespace fulcrum::worker {
namespace {

class ScriptedWorker {
 public:
  explicit ScriptedWorker(std::string manner) : manner_(std::move(manner)) {}

  int run() {
    std::array<char, 65536> buffer{};
    while (!ended_) {
      run_probe();
      pollfd readable{kWorkerFd, POLLIN, 0};
      if (::poll(&readable, 1, probe_ ? kProbeReportMs : -1) == 0) continue;
      const ssize_t n = ::read(kWorkerFd, buffer.data(), buffer.size());
      if (n <= 0) return 3;
      lines_.feed({buffer.data(), static_cast<std::size_t>(n)});
      while (!ended_ && lines_.has_line()) {
        auto message = parse_to_worker(lines_.pop_line().text);
        if (!message) return 4;
        std::visit([this](const auto& m) { handle(m); }, *message);
      }
    }
    return status_;
  }

 private:
  void say(const FromWorker& message) { write(to_line(message)); }
  static void write(const std::string& line) {
    if (::write(kWorkerFd, line.data(), line.size()) < 0) ::_exit(5);
  }
  // The steps of a probe until now, as if they had been run.
  void run_probe() {
    if (!probe_) return;
    Load load;
    const auto step = from_ms(step_ms());
    for (const auto now = clock_.now(); ran_until_ + step <= now; ran_until_ += step) {
      load.slices.push_back(
          {probe_->job, probe_->batch_size, true, to_ns(ran_until_), to_ns(ran_until_ + step)});
    }
    if (!load.slices.empty()) say(load);
  }
  double step_ms() const {
    for (const auto& entry : paces_.at(probe_->job)) {
      if (entry.batch_size >= probe_->batch_size) return kKappa * entry.mode_ms;
    }
    return 1;
  }
  // That does not end, or badly.
  void step_of(JobId job) {
    activity_.step_begins({job, 16, clock_.now()});
    if (manner_ == "hangs") return;
    const OnBehalfOf on_behalf(job);
    report_crashes_to(activity_);
    std::abort();
  }
  void end(int status) {
    ended_ = true;
    status_ = status;
  }

  void handle(const Configure&) {
    if (manner_ == "silent") return;
    say(Hello{manner_ == "old" ? 0 : kProtocolVersion, "1", "none", "cpu"});
    if (manner_ == "babbles") write("this is no message\n");
  }
  void handle(const CheckJob& check) {
    JobChecked checked{check.request, {}};
    if (manner_ == "finds") {
      Error fault = fail(ErrorCode::not_found, "there is no such file").value();
      fault.field = "/dataset/images";
      checked.faults.push_back(fault);
    }
    if (manner_ != "hello") say(checked);
  }
  void handle(const StartJob& start) {
    if (manner_ == "dies") return end(1);
    if (manner_ == "ponders" && start.spec.name == "slow") return;
    JobReady ready{start.job, {}, std::nullopt};
    for (const int b : start.spec.batch_sizes())
      ready.step_times.push_back({b, 2, 3});
    if (start.pace) ready.kappa = start.pace->kappa.value_or(kKappa);
    if (start.pace) paces_[start.job] = start.pace->entries;
    say(ready);
    say(JobProgress{start.job, {{"minibatch", 7}}, {{"seen", start.job}}, {}});
  }
  void handle(const StopJob& stop) {
    say(JobEnded{stop.job, Outcome::stopped, std::nullopt, {{"minibatch", 8}}, nullptr, {{"minibatch", 8}}});
  }
  void handle(const Hold&) {
    run_probe();
    probe_.reset();
    if (manner_ != "grips") say(Held{});
  }
  void handle(const SetPlan& set) {
    for (const auto& pace : set.paces)
      paces_[pace.job] = pace.entries;
    probe_ = set.probe;
    ran_until_ = clock_.now();
    if (manner_ == "chokes" && probe_) return end(1);
    for (const auto& share : set.plan.training) {
      if (share.name == "bad" && (manner_ == "crashes" || manner_ == "hangs")) step_of(share.job);
    }
    if (manner_ == "crashes" || manner_ == "hangs" || manner_ == "lasts" || manner_ == "grips" ||
        manner_ == "chokes" || manner_ == "dreams")
      return;
    for (const auto& share : set.plan.training) {
      say(JobEnded{share.job, Outcome::done, std::nullopt, {{"minibatch", 9}}, nullptr, {{"accuracy", 0.5}}});
    }
  }
  void handle(const Think& think) {
    if (manner_ == "broods") return end(1);
    if (manner_ == "dreams") return;
    Thought thought;
    thought.id = think.id;
    if (manner_ == "errs") thought.error = fail(ErrorCode::internal, "it cannot think").value();
    if (manner_ == "raves") thought.measure = scheduler::Measure{WorkloadTask::training, {1, 1, 1, 1}, 16};
    if (manner_ == "muses") thought.measure = first_unknown(think);
    say(thought);
  }
  static std::optional<scheduler::Measure> first_unknown(const Think& think) {
    for (std::size_t i = 0; i < think.problem.grid.size(); ++i) {
      const scheduler::Measure measure{WorkloadTask::training, think.problem.grid.mode(i),
                                       think.problem.training_batch_size};
      if (think.profiles.find(measure.task, measure.mode, measure.batch_size) == nullptr) return measure;
    }
    return std::nullopt;
  }
  void handle(const Shutdown&) {
    if (manner_ == "deaf") return;
    end(0);
  }

  static constexpr double kKappa = 0.25;
  static constexpr int kProbeReportMs = 20;

  std::string manner_;
  SystemClock clock_;
  Activity activity_ = Activity::open(UniqueFd(kActivityFd)).value();
  std::map<JobId, std::vector<PaceEntry>> paces_;
  std::optional<ProbeOrder> probe_;
  TimePoint ran_until_{};
  LineSplitter lines_{kMaxMessageBytes};
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace
}  // namespace fulcrum::worker

int main(int argc, char** argv) {
  return fulcrum::worker::ScriptedWorker(argc > 1 ? argv[1] : "works").run();
}

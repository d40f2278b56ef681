#pragma once
// The messages between fulcrumd and fulcrum-worker: one JSON object a line over a socketpair. Whoever reads a
// line that is no message of this version says so and ends the connection. No LibTorch here: the daemon links
// it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "scheduler/plan.h"
#include "scheduler/slice_reason.h"
#include "scheduler/strategy.h"

namespace fulcrum::worker {

inline constexpr int kProtocolVersion = 4;
// The status with which the worker ends in the midst of a step when the GPU has failed.
inline constexpr int kDeviceLostStatus = 4;
inline constexpr int kWorkerFd = 3;                        // the worker's end of the socketpair
inline constexpr std::size_t kMaxMessageBytes = 4U << 20;  // a plan with many jobs is tens of KiB

// Only on a simulated board: how long steps of a job are made to last there.
struct PaceEntry {
  int batch_size = 0;
  double mode_ms = 0;  // t_class(current mode, b)
  double maxn_ms = 0;  // t_class(MAXN, b)
};
struct Pace {
  std::vector<PaceEntry> entries;  // ascending by batch size
  std::optional<double> kappa;     // known from an earlier run of this job
};

// ---- daemon to worker ----

// The first message. Answered by Hello.
struct Configure {
  int protocol = kProtocolVersion;
  int heartbeat_ms = 1000;
};
// Open everything the spec names, as the worker's user; answered by JobChecked with the same request number.
struct CheckJob {
  std::uint64_t request = 0;
  JobSpec spec;
};
// Of an inference job: the weights come from a training job, as it learns.
struct ServedJob {
  JobId job = 0;
  std::string checkpoint_directory;
  bool gated = false;  // only weights that were validated, and are not worse than those before
};
// Load, measure if told to, say so (JobReady), then run as the plan says. A training job continues from its
// latest checkpoint.
struct StartJob {
  JobId job = 0;
  JobSpec spec;
  std::string checkpoint_directory;  // exists, writable by the worker; of this job alone
  int threads = 1;                   // intra-op threads, fixed for the life of the job
  std::optional<Pace> pace;
  Json resume;          // what an earlier JobProgress carried, or null
  bool measure = true;  // step times, before JobReady; without a known kappa they are measured in any case
  std::optional<ServedJob> served = std::nullopt;
};
// Answered by JobEnded(stopped), after a last checkpoint.
struct StopJob {
  JobId job = 0;
};
// Finish the slice that runs and begin no other; answered by Held. Ended by the next SetPlan.
struct Hold {};
// Steps of one job in all the time that the plan's inference leaves, their effects thrown away, until the
// next SetPlan. Told by Load.
struct ProbeOrder {
  JobId job = 0;
  int batch_size = 0;
  double step_bound_ms = 0;  // how long a step may take; 0: unknown, the first has to be tried
};
struct JobPace {
  JobId job = 0;
  std::vector<PaceEntry> entries;
};
struct SetPlan {
  scheduler::Plan plan;
  std::vector<JobPace>
      paces;  // of the plan's mode, on a simulated board; jobs that are not named keep theirs
  std::optional<ProbeOrder> probe;
};
// What should be measured next? For strategies that learn by networks, which the daemon has none of. Answered
// by Thought, unless a later Think overtakes it. While the worker thinks it runs slices as before.
struct Think {
  std::uint64_t id = 0;
  std::string strategy;
  std::uint64_t seed = 1;
  scheduler::Problem problem;
  scheduler::ProfileSet profiles;
};
// Stop every job and exit 0.
struct Shutdown {};

using ToWorker = std::variant<Configure, CheckJob, StartJob, StopJob, Hold, SetPlan, Think, Shutdown>;

// ---- worker to daemon ----

struct Hello {
  int protocol = kProtocolVersion;
  std::string version;
  std::string torch_version;
  std::string device;  // "cpu", "cuda"
};
struct Heartbeat {};
struct JobChecked {
  std::uint64_t request = 0;
  std::vector<Error> faults;  // empty: it can run; fields relative to the spec
};
struct JobReady {
  JobId job = 0;
  std::vector<scheduler::StepTime> step_times;  // in the present mode, ascending; none if not measured
  std::optional<double> kappa;                  // set when the steps are paced
};
// No slice runs, and none will before the next SetPlan.
struct Held {};
struct JobProgress {
  JobId job = 0;
  Json progress;                                // what users see
  Json resume;                                  // for StartJob after a restart
  std::vector<scheduler::StepTime> step_times;  // of the last seconds; only batch sizes with enough samples
};
// One slice of the device's time.
struct DeviceSlice {
  JobId job = 0;
  int batch_size = 0;
  bool probe = false;           // ordered by a ProbeOrder
  std::int64_t started_ns = 0;  // CLOCK_MONOTONIC
  std::int64_t ended_ns = 0;
  scheduler::SliceReason reason = scheduler::SliceReason::free_time;
  int queued = 0;        // requests of the job that waited when it began, those of the batch among them
  double device_ms = 0;  // that the device took; on a simulated board the slice may last longer
};
// The slices since the last such message, in order of time.
struct Load {
  std::vector<DeviceSlice> slices;
  std::optional<DeviceSlice> running;  // one that has begun and will last; ended_ns is open
};
// What to measure; or nothing more; or why it could not be thought out.
struct Thought {
  std::uint64_t id = 0;
  std::optional<scheduler::Measure> measure;
  std::optional<Error> error;
};
enum class Outcome { done, failed, stopped };
struct JobEnded {
  JobId job = 0;
  Outcome outcome = Outcome::done;
  std::optional<Error> error;  // when failed
  Json progress;               // the last
  Json resume;
  Json result;  // what it achieved; null when failed before it began
};

using FromWorker =
    std::variant<Hello, Heartbeat, JobChecked, JobReady, Held, JobProgress, Load, Thought, JobEnded>;

std::string to_line(const ToWorker& message);
std::string to_line(const FromWorker& message);
[[nodiscard]] Expected<ToWorker> parse_to_worker(std::string_view line);
[[nodiscard]] Expected<FromWorker> parse_from_worker(std::string_view line);

Json to_json(const Error& error);

}  // namespace fulcrum::worker

#pragma once
// A job is tried in a process of its own, for what it runs is a stranger's code: it may crash, hang or eat
// the memory without taking the worker's jobs along, and draws its random numbers from generators of its own.
// The process is this program once more, with kTrialArgument.

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"

namespace fulcrum::worker {

inline constexpr const char* kTrialArgument = "--try-job";

struct TrialLimits {
  std::chrono::milliseconds time = std::chrono::seconds(90);
};

// What try_job() said in the child, or how the child ended instead. Waits for it, but not much longer than
// `ending` is false. `program`: /proc/self/exe, but for tests.
std::vector<Error> run_trial_process(const JobSpec& spec, const std::atomic<bool>& ending,
                                     const TrialLimits& limits = {},
                                     const std::string& program = "/proc/self/exe");

// The child's side: reads the spec from standard input and tells what `try_job` says. The exit status.
int serve_trial(const std::function<std::vector<Error>(const JobSpec&)>& try_job);

}  // namespace fulcrum::worker

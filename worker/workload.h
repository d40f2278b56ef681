#pragma once
// What the executor needs of a job's model and data. Implemented over workloads/ (torch_workloads.cpp), and
// by tests. All calls but load() come from one thread at a time.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "worker/protocol.h"

namespace fulcrum::worker {

class TrainingWorkload {
 public:
  virtual ~TrainingWorkload() = default;

  // A real training step whose effects are thrown away.
  [[nodiscard]] virtual Expected<void> trial_step() = 0;
  // No more of them: what they needed can go.
  virtual void end_trial() = 0;
  // The next minibatch is loaded: step() will not wait for data.
  virtual bool ready() const = 0;
  // One minibatch, to completion on the device.
  struct Step {
    bool validation = false;  // forward only, on data that is not learned from
    bool ends_epoch = false;  // with the validation after it, if one was due
  };
  [[nodiscard]] virtual Expected<Step> step() = 0;
  virtual bool finished() const = 0;
  // Hands the state to whoever writes checkpoints, if it is time for one; does not wait for the disk.
  virtual void checkpoint_if_due() = 0;

  virtual Json progress() const = 0;
  // Both wait for the disk, and are the last call. close: a final checkpoint, for a job that goes on another
  // day. finish: also the output; what the job has achieved.
  [[nodiscard]] virtual Expected<void> close() = 0;
  [[nodiscard]] virtual Expected<Json> finish() = 0;
};

class InferenceWorkload {
 public:
  virtual ~InferenceWorkload() = default;

  [[nodiscard]] virtual Expected<void> trial_step(int batch_size) = 0;
  // What users see of it, beside its requests.
  virtual Json progress() const { return Json::object(); }
  // Answers these requests in one batch; how many were classified as their dataset says, if they were
  // classified at all.
  [[nodiscard]] virtual Expected<std::optional<std::uint64_t>> run(
      const std::vector<std::uint64_t>& requests) = 0;
};

using Workload = std::variant<std::unique_ptr<TrainingWorkload>, std::unique_ptr<InferenceWorkload>>;

class WorkloadFactory {
 public:
  using Build = std::function<Expected<Workload>()>;

  virtual ~WorkloadFactory() = default;

  // What jobs have on the device is taken from the machine's memory, and not from the process's pages.
  virtual bool device_takes_machine_memory() const { return false; }

  // Reads and unpacks what the job names, on a thread of its own, and hands back the rest of the work, which
  // the executor's thread does. `wake` may be called from any thread, whenever ready() may have become true.
  [[nodiscard]] virtual Expected<Build> load(const StartJob& start, std::function<void()> wake) = 0;
};

}  // namespace fulcrum::worker

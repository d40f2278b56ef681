#pragma once
// What the control socket may ask of the daemon: the seam between the RPC methods and the control loop.
// Everything runs on the one thread of the daemon's io_context.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "daemon/faults.h"

namespace fulcrum::daemon {

struct SubmitRequest {
  Json spec;                                // as the schema let it pass
  std::optional<std::string> client_token;  // the same token again returns the same job
  bool dry_run = false;
};

class Control {
 public:
  using SubmitReply = std::function<void(Checked<Json>)>;
  using EventSink = std::function<void(const Json& event)>;
  using SubscriptionId = std::uint64_t;

  virtual ~Control() = default;

  // Answers later, once the worker has opened the files that the spec names and the job is stored durably:
  // {"id"}, or for a dry run {"dry_run": true}. Fault fields are relative to the spec (/dataset/images).
  virtual void submit(SubmitRequest request, SubmitReply reply) = 0;

  virtual Json jobs() const = 0;                                 // {"jobs": [summary, ...]}, by id
  [[nodiscard]] virtual Expected<Json> job(JobId id) const = 0;  // summary, spec, progress, error
  [[nodiscard]] virtual Expected<Json> result(
      JobId id) const = 0;                                    // what it has achieved; `unavailable` before
  [[nodiscard]] virtual Expected<Json> cancel(JobId id) = 0;  // cancelling an ended job is an error
  virtual Json plan() const = 0;                              // {"plan": {...} or null, ...}
  virtual Json explain() const = 0;                           // the same, and why
  [[nodiscard]] virtual Expected<Json> board() const = 0;
  [[nodiscard]] virtual Expected<Json> board_modes() const = 0;
  virtual Json board_sensors() const = 0;
  [[nodiscard]] virtual Expected<Json> board_report() const = 0;  // what was found of it, and what is wrong

  virtual Json budget() const = 0;  // {"power_w", "source", "config_power_w"}
  // The same, afterwards. None: no budget. `unavailable` when the configuration fixes the mode.
  [[nodiscard]] virtual Expected<Json> set_budget(std::optional<double> power_w) = 0;
  [[nodiscard]] virtual Expected<Json> reset_budget() = 0;

  // `workload`: a fingerprint; none: all of this board.
  [[nodiscard]] virtual Expected<Json> list_profiles(const std::optional<std::string>& workload) = 0;
  [[nodiscard]] virtual Expected<Json> forget_profiles(const std::optional<std::string>& workload) = 0;
  // Up to so many more measurements of the jobs that run, for budgets not yet set. {"probes",
  // "seconds_at_most"}
  [[nodiscard]] virtual Expected<Json> explore_profiles(int probes) = 0;
  // {"document", "next"}: measurements from `offset` on, and where the next part begins, or null.
  [[nodiscard]] virtual Expected<Json> export_profiles(const std::optional<std::string>& workload,
                                                       std::size_t offset, std::size_t limit) = 0;
  // Fault fields are relative to the document.
  [[nodiscard]] virtual Checked<Json> import_profiles(const Json& document, bool equal_board) = 0;

  // SliceTrace::get() of the last `seconds`.
  virtual Json trace(double seconds, std::optional<std::uint64_t> from,
                     std::optional<std::uint64_t> to) const = 0;

  // Events {"job", "event": "state"|"progress"|"epoch"|"search"|"probe"|"fault", ...} of one job or of all,
  // from now on. The first events tell how things stand. `not_found` for an unknown job.
  [[nodiscard]] virtual Expected<SubscriptionId> watch(std::optional<JobId> id, EventSink sink) = 0;
  virtual void unwatch(SubscriptionId id) = 0;
};

}  // namespace fulcrum::daemon

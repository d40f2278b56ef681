#pragma once
// What is known of the workloads of this board's jobs: the store of measurements, as planning and the control
// socket see it.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/job_spec.h"
#include "common/json_text.h"
#include "daemon/faults.h"
#include "profiler/fingerprint.h"
#include "profiler/profile_store.h"
#include "scheduler/problem.h"
#include "scheduler/profile.h"

namespace fulcrum::daemon {

class ProfileBook {
 public:
  [[nodiscard]] static Expected<ProfileBook> open(const std::string& path, std::string board_id,
                                                  profiler::ExecutionTraits traits);

  std::string fingerprint_of(const JobSpec& spec) const;
  profiler::MeasurementKey key_of(const JobSpec& spec, const PowerMode& mode, int batch_size) const;

  [[nodiscard]] Expected<scheduler::ProfileSet> profiles_of(const JobSpec& spec);
  // Of every workload of this board but those of these fingerprints, a set each.
  [[nodiscard]] Expected<std::vector<scheduler::ProfileSet>> others(
      const std::set<std::string>& fingerprints);
  // Durable when it returns.
  [[nodiscard]] Expected<void> add(const profiler::Measurement& measurement);

  // Learned from all that was measured repeatedly on this board.
  [[nodiscard]] Expected<scheduler::MeasurementNoise> noise();

  [[nodiscard]] Expected<std::optional<double>> kappa_of(const JobSpec& spec);
  [[nodiscard]] Expected<void> keep_kappa(const JobSpec& spec, double kappa);

  // The most memory that such a job has taken on this board; none: not known.
  [[nodiscard]] Expected<std::optional<std::int64_t>> memory_of(const JobSpec& spec);
  [[nodiscard]] Expected<void> keep_memory(const JobSpec& spec, std::int64_t bytes);

  // The methods profile.* of the control socket; `workload` is a fingerprint, none: all of this board.
  using Workload = std::optional<std::string>;
  [[nodiscard]] Expected<Json> list(const Workload& workload);
  [[nodiscard]] Expected<Json> forget(const Workload& workload);
  // At most `limit` measurements from number `offset` on, and the number of the next.
  [[nodiscard]] Expected<Json> export_part(const Workload& workload, std::size_t offset, std::size_t limit);
  // Faults are relative to the document.
  [[nodiscard]] Checked<Json> import(const Json& document, bool equal_board);

 private:
  ProfileBook(profiler::ProfileStore store, std::string board_id, profiler::ExecutionTraits traits)
      : store_(std::move(store)), board_id_(std::move(board_id)), traits_(traits) {}
  profiler::ProfileFilter of_workload(const Workload& workload) const;

  profiler::ProfileStore store_;
  std::string board_id_;
  profiler::ExecutionTraits traits_;
  std::optional<scheduler::MeasurementNoise> noise_;  // none: to be learned anew
};

WorkloadTask task_of(const JobSpec& spec);
scheduler::ProfileSet::Key profile_key(const profiler::MeasurementKey& key);

}  // namespace fulcrum::daemon

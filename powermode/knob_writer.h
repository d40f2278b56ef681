#pragma once
// Turns a board's knobs, in an order in which no minimum ever stands above its maximum, and reads back each
// after writing it. The caller holds the lease.

#include <string>

#include "common/error.h"
#include "powermode/board.h"
#include "powermode/knob_values.h"
#include "powermode/restore_report.h"

namespace fulcrum::powermode {

class KnobWriter {
 public:
  explicit KnobWriter(Board& board) : board_(board), tree_(*board.tree_), nodes_(board.parts_.knobs) {}

  // Every knob that there is now. The limits of a cluster are not there while all of its CPUs are offline,
  // nor is the memory's rate a knob while it is not locked.
  [[nodiscard]] Expected<KnobValues> read() const;
  [[nodiscard]] Expected<KnobValues> read_cpu_limits() const;

  // Setting a mode takes two calls: CPUs come online first, so that the limits of clusters that were offline
  // can be read (and saved) before the rest is set. Both stop at the first knob that does not take its value.
  [[nodiscard]] Expected<void> bring_online(int cpu_cores);
  [[nodiscard]] Expected<void> set_limits(const PowerMode& mode);

  // Minimums as low as they go, the memory clock not locked: caps can then be set in any order.
  [[nodiscard]] Expected<void> loosen();

  // Best effort: one knob that fails does not keep the others from being restored.
  RestoreReport restore(const KnobValues& values);

 private:
  class Restorer;

  [[nodiscard]] Expected<void> set(const std::string& path, const std::string& value);
  // ... where what holds is read elsewhere.
  [[nodiscard]] Expected<void> set(const std::string& path, const std::string& value,
                                   const std::string& read_path);
  [[nodiscard]] Expected<void> pin(const RangeNodes& range, std::int64_t value);
  [[nodiscard]] Expected<void> pin_cluster(const ClusterNodes& cluster, std::int64_t khz);
  [[nodiscard]] Expected<void> pin_emc(std::int64_t rate_hz);
  [[nodiscard]] Expected<void> take_offline(int cpu_cores);
  [[nodiscard]] Expected<void> take(KnobValues& values, const std::string& path) const;
  [[nodiscard]] Expected<void> lower(const RangeNodes& range, std::int64_t lowest);
  Expected<bool> any_online(const ClusterNodes& cluster) const;

  Board& board_;
  FileTree& tree_;
  const KnobNodes& nodes_;
};

}  // namespace fulcrum::powermode

#pragma once
// One board, as discovered through a file tree: which power modes it has, which one it is in, what it draws.
// Nothing here changes the board; that needs a lease (board_lease.h).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "powermode/board_description.h"
#include "powermode/board_nodes.h"
#include "powermode/board_parts.h"
#include "powermode/file_tree.h"
#include "powermode/nvpmodel_custom.h"
#include "powermode/patient_reader.h"
#include "powermode/power_mode.h"
#include "powermode/presets.h"

namespace fulcrum {

namespace powermode {
class KnobWriter;
}

struct RailPower {
  std::string name;
  double power_w = 0;
};

struct PowerSample {
  double total_w = 0;  // of time inside Board::averaging_window() before taken_at
  std::vector<RailPower> rails;
  TimePoint taken_at;
};

struct ThrottleCount {
  std::string cause;  // such as "low input voltage"
  std::int64_t events = 0;
  bool momentary = false;  // a part of what the highest modes are
};

struct BoardMemory {
  std::int64_t total_bytes = 0;
  // What programs can have; the page cache counts as free. cuMemGetInfo's free memory does not count it.
  std::int64_t available_bytes = 0;
};

class Board {
 public:
  // `unsupported` when this is another machine; `unavailable` when nodes that are needed are not there, or
  // not yet. The clock outlives the board.
  [[nodiscard]] static Expected<std::unique_ptr<Board>> discover(std::shared_ptr<FileTree> tree,
                                                                 BoardDescription description,
                                                                 const Clock& clock);

  const std::string& id() const { return description_.id; }
  const std::string& name() const { return description_.name; }
  // Why its knobs are not turned; empty: they are.
  const std::string& read_only() const { return description_.read_only; }
  const BoardLevels& levels() const { return parts_.levels; }
  const std::vector<Finding>& findings() const { return parts_.findings; }
  PowerMode highest_mode() const;
  PowerMode lowest_mode() const;

  const PresetCatalogue& catalogue() const { return parts_.catalogue; }
  const std::vector<Preset>& presets() const { return parts_.catalogue.presets; }
  // Why a preset needs a reboot; empty: it does not.
  std::string why_unreachable(const Preset& preset) const;
  // The preset that nvpmodel was last told to set, which need not be the mode that the board is in. None: it
  // does not say.
  const Preset* requested_preset() const;
  std::optional<int> nvpmodel_status() const;  // its id
  // A mode as nvpmodel would be told it, in the power gating that holds; without id and name.
  [[nodiscard]] Expected<powermode::CustomNvpmodelMode> custom_nvpmodel_mode(const PowerMode& mode) const;

  // A preset by name. `unsupported`: it needs a reboot.
  [[nodiscard]] Expected<PowerMode> mode_named(const std::string& name) const;

  // invalid_argument, with the nearest levels, for values that the board does not have.
  [[nodiscard]] Expected<void> check(const PowerMode& mode) const;

  // The caps that hold now, as the kernel tells them. When clusters differ, the highest cap among them.
  [[nodiscard]] Expected<PowerMode> read_mode() const;

  // Whether what was read is a preset's mode: its caps need not be levels, and kernels round them up, or keep
  // them as they are.
  bool reads_as(const PowerMode& read, const PowerMode& preset) const;

  // About what it draws idle in its lowest mode, and under load in its highest.
  double usual_idle_w() const { return description_.power.idle_w; }
  double usual_most_w() const { return description_.power.most_w; }

  // Never blocks. A rail that cannot be read is an error, and so is a total of 0 W.
  [[nodiscard]] Expected<PowerSample> read_power() const;
  // A reading tells of no time further before it.
  Duration averaging_window() const { return parts_.power.averaging_window; }

  // Of the hottest thermal zone. A zone that does not answer, or says what no chip survives, as those of
  // units that are powered off do, is left out; none when no zone is left, or the board has none. Never
  // blocks.
  [[nodiscard]] std::optional<double> read_temperature_c() const;

  // How often since boot the hardware throttled the clocks by itself, which no frequency node shows, by
  // cause. Only that a count grows means something: the comparators are faster than any reading of a current.
  // The kernel refreshes it about every 2 s. Empty on a board that does not count; a counter that cannot be
  // read is an error.
  [[nodiscard]] Expected<std::vector<ThrottleCount>> read_throttle_counts() const;
  // The sum of those that are not momentary; none on a board that does not count.
  [[nodiscard]] Expected<std::optional<std::int64_t>> read_throttle_events() const;

  // By which part of itself the CPUs' clock is lower than the kernel has set it, 0 to 1: the hardware does
  // that to protect itself, and the usual nodes do not show it. Of the cluster that loses most; none on a
  // board, or for a user, that cannot measure it. The kernel may log that it was measured.
  [[nodiscard]] std::optional<double> read_cpu_slowdown() const;

  // The same of the GPU's clock, for one that is pinned and at work: firmware may hold it lower than its
  // limits say. None while its limits differ.
  [[nodiscard]] std::optional<double> read_gpu_slowdown() const;

  // The part of the time of late in which the GPU was busy, whoever used it, from 0 to 1. None on a board
  // that does not tell.
  [[nodiscard]] Expected<std::optional<double>> read_gpu_load() const;

  [[nodiscard]] Expected<BoardMemory> read_memory() const;

  // Knobs set in one boot are gone in the next.
  [[nodiscard]] Expected<std::string> boot_id() const;

 private:
  friend class powermode::KnobWriter;

  Board(std::shared_ptr<FileTree> tree, BoardDescription description, powermode::BoardParts parts,
        const Clock& clock)
      : tree_(std::move(tree)),
        description_(std::move(description)),
        parts_(std::move(parts)),
        clock_(clock),
        sensors_(tree_) {}

  [[nodiscard]] Expected<std::int64_t> read_emc_hz() const;
  [[nodiscard]] Expected<std::int64_t> read_sensor(const std::string& path) const;

  std::shared_ptr<FileTree> tree_;
  BoardDescription description_;
  powermode::BoardParts parts_;
  const Clock& clock_;
  mutable powermode::PatientReader sensors_;  // readings change nothing but who waits for them
};

}  // namespace fulcrum

#pragma once
// The daemon's hold on the board: takes the lease while there is work, sets modes, gives every knob back when
// there is none, and keeps count of the power in between. On a simulated board it also knows how long steps
// last there, and tells the board of the load.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/job_spec.h"
#include "common/logging.h"
#include "daemon/config.h"
#include "daemon/gpu_watch.h"
#include "daemon/power_meter.h"
#include "powermode/board.h"
#include "powermode/board_lease.h"
#include "powermode/simulated_file_tree.h"
#include "powermode/simulated_load.h"
#include "powermode/simulated_workloads.h"
#include "scheduler/mode_grid.h"
#include "scheduler/strategy.h"
#include "worker/protocol.h"

namespace fulcrum::daemon {

// The field of an error about the configured mode.
inline constexpr const char* kModeField = "/mode";

class BoardKeeper {
 public:
  // Finds the board, gives back what a crashed daemon left changed, and checks that the configured mode, if
  // there is one, is one of the board's. unsupported: this machine is not that board.
  [[nodiscard]] static Expected<std::unique_ptr<BoardKeeper>> open(const DaemonConfig& config,
                                                                   const Clock& clock, Logger log);

  const Board& board() const { return *found_.board; }
  bool simulated() const { return found_.simulated != nullptr; }
  // The mode that the configuration names; none: it is to be searched for.
  const std::optional<PowerMode>& fixed_mode() const { return fixed_mode_; }
  // Among which it is searched for.
  [[nodiscard]] Expected<scheduler::ModeGrid> grid() const;
  // The presets that need no reboot, and what is known of such boards before anything is measured.
  scheduler::StrategyTools strategy_tools() const;
  // Of the preset that is this mode; empty if none is.
  std::string name_of(const PowerMode& mode) const;

  // The lease, in a mode to begin with.
  [[nodiscard]] Expected<void> take(const PowerMode& mode);
  void give_back();
  bool held() const { return lease_ != nullptr; }

  // Sets the mode and reads it back; while held. On failure the knobs are as they were before.
  [[nodiscard]] Expected<void> apply(const PowerMode& mode);
  // What was applied last; none before, or when knobs may have other values by now.
  const std::optional<PowerMode>& mode() const { return mode_; }
  void distrust_mode() { mode_.reset(); }

  // How long steps last in a mode; none on a real board. invalid_argument if the board's model does not know
  // the job's class.
  [[nodiscard]] Expected<std::vector<worker::PaceEntry>> pace_in(const PowerMode& mode,
                                                                 const JobSpec& spec) const;
  // The same in the present mode, for a job that starts.
  [[nodiscard]] Expected<std::optional<worker::Pace>> pace(const JobSpec& spec,
                                                           std::optional<double> kappa) const;
  // spec_of: the job's spec, null for a job that is gone.
  void report_load(const worker::Load& load, const std::function<const JobSpec*(JobId)>& spec_of);
  // The worker is gone, and its load with it.
  void report_idle();

  // One reading of the sensors; to be taken ten times a second while held.
  Expected<PowerSample> sample_power();
  // What that one showed; none before one, since the board is held.
  std::optional<double> power_w() const { return power_.last_w(); }
  // The least that the sensors have shown since the daemon began; 0 if they have shown nothing.
  double least_power_w() const { return least_power_w_.value_or(0); }

  // What knobs somebody else has changed since the mode was applied.
  [[nodiscard]] Expected<std::vector<BoardLease::Change>> foreign_changes() const;
  // The part of the time in which other programs use the GPU; none: not known of late.
  std::optional<double> foreign_gpu_load() const { return gpu_.foreign(clock_.now()); }

  // Whether the board, which was read to be in a mode, is in this preset. What we have set is exactly so.
  bool is_in(const Preset& preset, const PowerMode& read) const;
  std::string name_of_read(const PowerMode& mode) const;

  // The answers of board.get, board.modes and board.sensors.
  Json describe() const;
  [[nodiscard]] Expected<Json> describe_modes() const;
  Json describe_sensors() const;

 private:
  // A board as the configuration names it; on a simulated one also what only that has.
  struct Found {
    std::unique_ptr<Board> board;
    std::unique_ptr<SimulatedFileTree> simulated;  // the same board's state, for what a real one has not
    std::optional<SimulatedWorkloads> workloads;
  };
  friend Expected<RestoreReport> restore_knobs(const DaemonConfig& config, const Clock& clock, Logger log);

  [[nodiscard]] static Expected<Found> find_board(const DaemonConfig& config, const Clock& clock);
  [[nodiscard]] static Expected<Found> wait_for_board(const DaemonConfig& config, const Clock& clock,
                                                      const Logger& log);
  BoardKeeper(Found found, const DaemonConfig& config, const Clock& clock, Logger log);
  void put_mode(Json& json) const;   // or why it cannot be read
  void put_power(Json& json) const;  // likewise
  [[nodiscard]] Expected<void> choose_mode(const DaemonConfig& config);
  void note_power(const Expected<PowerSample>& sample);
  void watch_gpu();
  void tell_load(const std::vector<SimulatedLoadEdge>& edges);
  void add_edges(const worker::DeviceSlice& slice, const JobSpec* spec, bool ended,
                 std::vector<SimulatedLoadEdge>& edges) const;

  const Clock& clock_;
  Logger log_;
  std::string state_dir_;
  Found found_;
  std::optional<NvpmodelProgram> nvpmodel_;  // through which modes are set; none: knobs are written
  std::optional<PowerMode> fixed_mode_;
  std::optional<PowerMode> mode_;
  std::unique_ptr<BoardLease> lease_;
  PowerMeter power_;  // since the lease was taken
  std::optional<double> least_power_w_;
  GpuWatch gpu_;
  bool foreign_told_ = false;  // that others use the GPU
  bool trouble_told_ = false;  // with the sensors or the load: once is enough for the log
};

// For fulcrumd --restore-knobs: the report of what was given back, or found to be in order.
[[nodiscard]] Expected<RestoreReport> restore_knobs(const DaemonConfig& config, const Clock& clock,
                                                    Logger log);

}  // namespace fulcrum::daemon

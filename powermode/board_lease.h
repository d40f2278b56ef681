#pragma once
// The right to turn a board's knobs: one holder at a time. What they were set to is saved durably before the
// first write and put back on release, when the lease is destroyed, by restore_saved_knobs, or by the next
// acquire after a crash. The saved file stays for as long as a knob is not what it was.
//
// Files in the state directory: saved-knobs.json, lease/lock (flock; its owner's pid), and nvpmodel.conf
// where modes are set through nvpmodel.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/directory_lock.h"
#include "common/error.h"
#include "common/logging.h"
#include "powermode/board.h"
#include "powermode/knob_values.h"
#include "powermode/knob_writer.h"
#include "powermode/nvpmodel_setter.h"
#include "powermode/restore_report.h"

namespace fulcrum {

class BoardLease {
 public:
  // Modes are set through this nvpmodel; none: knobs are written directly. `busy` when another process holds
  // the lease, `corrupt` when the file of a crashed holder cannot be used, `unsupported` when this board's
  // knobs are not turned, or not so. The board outlives the lease.
  [[nodiscard]] static Expected<std::unique_ptr<BoardLease>> acquire(
      Board& board, const std::string& state_dir, Logger log,
      const std::optional<NvpmodelProgram>& nvpmodel = std::nullopt);
  ~BoardLease();
  BoardLease(const BoardLease&) = delete;
  BoardLease& operator=(const BoardLease&) = delete;

  // Makes the mode the operating point: clocks are pinned to it, not only capped. The mode that was read
  // back, which is `mode`; or an error naming the knob that did not take its value, after the previous values
  // were put back.
  [[nodiscard]] Expected<PowerMode> apply(const PowerMode& mode);

  // Knobs that somebody else has changed since apply().
  struct Change {
    std::string path;
    std::string from;
    std::string to;

    std::string to_string() const;  // "'<path>' was changed from <from> to <to>"
  };
  [[nodiscard]] Expected<std::vector<Change>> foreign_changes() const;

  // Puts every knob back. Afterwards the lease is over; a second call restores nothing and returns an empty
  // report.
  RestoreReport release();

 private:
  BoardLease(Board& board, DirectoryLock lock, std::string saved_path, powermode::SavedKnobs saved,
             std::optional<powermode::NvpmodelSetter> nvpmodel, Logger log);
  [[nodiscard]] Expected<void> write_mode(const PowerMode& mode, powermode::KnobValues& previous);

  Board& board_;
  std::optional<DirectoryLock> lock_;
  std::string saved_path_;
  powermode::SavedKnobs saved_;
  powermode::KnobWriter writer_;
  std::optional<powermode::NvpmodelSetter> nvpmodel_;
  powermode::KnobValues applied_;  // what knobs were when the mode had been applied; empty before
  Logger log_;
};

// Puts back what a crashed holder left changed; with nothing to restore, an empty report. `busy` while a
// lease is held. Idempotent.
[[nodiscard]] Expected<RestoreReport> restore_saved_knobs(Board& board, const std::string& state_dir,
                                                          Logger log);

}  // namespace fulcrum

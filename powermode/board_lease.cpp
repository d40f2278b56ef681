#include "powermode/board_lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "common/durable_file.h"

namespace fulcrum {

namespace {

using powermode::KnobValues;
using powermode::KnobWriter;
using powermode::SavedKnobs;
using powermode::SavedNvpmodel;

std::string saved_path_in(const std::string& state_dir) {
  return state_dir + "/saved-knobs.json";
}

Expected<DirectoryLock> lock_lease(const std::string& state_dir) {
  const std::string directory = state_dir + "/lease";
  FULCRUM_TRY(make_directories(directory));
  auto lock = DirectoryLock::acquire(directory);
  if (!lock) return in_context(std::move(lock).error(), "leasing the board");
  return lock;
}

// What a crashed holder saved. A file from an earlier boot says nothing about the knobs of this one; but what
// nvpmodel was told to set, it sets at every boot.
Expected<std::optional<SavedKnobs>> leftover(const Board& board, const std::string& path, const Logger& log) {
  FULCRUM_TRY_ASSIGN(saved, powermode::load_saved_knobs(path));
  if (!saved) return std::nullopt;
  FULCRUM_TRY_ASSIGN(boot_id, board.boot_id());
  if (saved->boot_id != boot_id) {
    log->info("the board has rebooted since its knobs were saved in '{}', which reset them", path);
    if (!saved->nvpmodel) return std::nullopt;
    saved->values = KnobValues();
  }
  if (saved->board_id != board.id()) {
    return fail(ErrorCode::corrupt,
                fmt::format("the saved knobs '{}' are those of a board '{}', not '{}'", path, saved->board_id,
                            board.id()),
                "start once with that board to restore it, or delete the file");
  }
  return saved;
}

RestoreReport::Knob tell_nvpmodel(const Board& board, const SavedNvpmodel& saved) {
  const auto told =
      NvpmodelProgram(saved.program, NvpmodelProgram::kTimeLimit, saved.conf).set(saved.mode_id);
  const auto status = board.nvpmodel_status();
  std::string error;
  if (!told) {
    error = told.error().to_string();
  } else if (status != saved.mode_id) {
    error = "it did not take the mode";
  }
  return {"nvpmodel -m", std::to_string(saved.mode_id), status ? std::to_string(*status) : "",
          std::move(error)};
}

// nvpmodel first: it sets caps of its own. It is told again even what its status says already: that may have
// been set through another catalogue.
RestoreReport put_back(Board& board, const SavedKnobs& saved) {
  KnobWriter writer(board);
  RestoreReport report;
  if (saved.nvpmodel) {
    // Caps below the minimums that we have raised would be refused; what cannot be loosened is told by
    // nvpmodel's failure. After a reboot we have raised none, and would lower what nobody puts back.
    if (!saved.values.entries().empty()) (void)writer.loosen();
    report.knobs.push_back(tell_nvpmodel(board, *saved.nvpmodel));
  }
  auto knobs = writer.restore(saved.values);
  std::move(knobs.knobs.begin(), knobs.knobs.end(), std::back_inserter(report.knobs));
  return report;
}

void log_report(const Logger& log, const RestoreReport& report) {
  if (report.knobs.empty()) return;
  if (report.complete()) {
    log->info("board: {}", report.summary());
    return;
  }
  for (const auto& knob : report.knobs) {
    if (!knob.error.empty()) {
      log->error("board: '{}' not restored: wanted '{}', found '{}': {}", knob.path, knob.wanted, knob.found,
                 knob.error);
    }
  }
}

// Keeps the file for as long as it is needed.
void finish(const RestoreReport& report, const std::string& saved_path, const Logger& log) {
  log_report(log, report);
  if (!report.complete()) return;
  if (auto removed = remove_file_durably(saved_path); !removed)
    log->error("board: {}", removed.error().to_string());
}

}  // namespace

Expected<std::unique_ptr<BoardLease>> BoardLease::acquire(Board& board, const std::string& state_dir,
                                                          Logger log,
                                                          const std::optional<NvpmodelProgram>& nvpmodel) {
  if (!board.read_only().empty()) {
    return fail(ErrorCode::unsupported,
                fmt::format("the knobs of this board are not turned: {}", board.read_only()));
  }
  std::optional<powermode::NvpmodelSetter> setter;
  if (nvpmodel) {
    FULCRUM_TRY_ASSIGN(made, powermode::NvpmodelSetter::make(board, *nvpmodel, state_dir + "/nvpmodel.conf"));
    setter = std::move(made);
  }
  FULCRUM_TRY_ASSIGN(lock, lock_lease(state_dir));
  const std::string path = saved_path_in(state_dir);
  FULCRUM_TRY_ASSIGN(old, leftover(board, path, log));
  if (old) {
    log->warn("board: the last holder ended without restoring the knobs; restoring them from '{}'", path);
    log_report(log, put_back(board, *old));
  }
  FULCRUM_TRY_ASSIGN(boot_id, board.boot_id());
  auto now = KnobWriter(board).read();
  if (!now) return in_context(std::move(now).error(), "saving the board's knobs");
  // What the crashed holder found stays what is restored in the end, even where it could not be restored just
  // now.
  SavedKnobs saved{board.id(), std::move(boot_id), {}, std::nullopt};
  if (old) saved.values = std::move(old->values);
  if (old) saved.nvpmodel = std::move(old->nvpmodel);
  saved.values.add_missing(*now);
  if (setter && !saved.nvpmodel)
    saved.nvpmodel = SavedNvpmodel{nvpmodel->path(), nvpmodel->conf(), setter->requested()};
  if (auto done = powermode::save_knobs(path, saved); !done) {
    return in_context(std::move(done).error(), "saving the board's knobs");
  }
  return std::unique_ptr<BoardLease>(
      new BoardLease(board, std::move(lock), path, std::move(saved), std::move(setter), std::move(log)));
}

BoardLease::BoardLease(Board& board, DirectoryLock lock, std::string saved_path, SavedKnobs saved,
                       std::optional<powermode::NvpmodelSetter> nvpmodel, Logger log)
    : board_(board),
      lock_(std::move(lock)),
      saved_path_(std::move(saved_path)),
      saved_(std::move(saved)),
      writer_(board),
      nvpmodel_(std::move(nvpmodel)),
      log_(std::move(log)) {}

BoardLease::~BoardLease() {
  release();
}

Expected<void> BoardLease::write_mode(const PowerMode& mode, KnobValues& previous) {
  FULCRUM_TRY(writer_.bring_online(mode.cpu_cores));
  // Clusters that were offline have their limits only now: they too are saved before they are written.
  FULCRUM_TRY_ASSIGN(present, writer_.read_cpu_limits());
  if (saved_.values.add_missing(present)) FULCRUM_TRY(powermode::save_knobs(saved_path_, saved_));
  previous.add_missing(present);
  if (nvpmodel_) {
    FULCRUM_TRY(writer_.loosen());
    FULCRUM_TRY(nvpmodel_->set(mode));
  }
  return writer_.set_limits(mode);
}

Expected<PowerMode> BoardLease::apply(const PowerMode& mode) {
  if (!lock_) return fail(ErrorCode::internal, "a power mode was to be set through a lease that is over");
  FULCRUM_TRY(board_.check(mode));
  const std::string doing = fmt::format("setting the power mode '{}'", mode.to_string());
  auto previous = writer_.read();
  if (!previous) return in_context(std::move(previous).error(), doing);
  applied_ = KnobValues();
  auto written = write_mode(mode, *previous);
  auto now = written ? writer_.read() : Expected<KnobValues>(KnobValues());
  if (now && written) {
    applied_ = std::move(*now);
    return mode;
  }
  if (!now) written = Unexpected(std::move(now).error());
  const auto reached = board_.read_mode();
  const RestoreReport undone = writer_.restore(*previous);
  if (!undone.complete()) log_report(log_, undone);
  auto failure = in_context(std::move(written).error(), doing);
  if (reached) failure.value().context.push_back(fmt::format("the board went to '{}'", reached->to_string()));
  if (!undone.complete()) {
    failure.value().context.push_back("and putting the previous one back failed too: " + undone.summary());
  }
  return failure;
}

Expected<std::vector<BoardLease::Change>> BoardLease::foreign_changes() const {
  std::vector<Change> changes;
  if (applied_.entries().empty()) return changes;
  FULCRUM_TRY_ASSIGN(now, writer_.read());
  for (const auto& entry : applied_.entries()) {
    const auto value = now.find(entry.path);
    if (value != entry.value) changes.push_back({entry.path, entry.value, value.value_or("(not there)")});
  }
  return changes;
}

std::string BoardLease::Change::to_string() const {
  return fmt::format("'{}' was changed from {} to {}", path, from, to);
}

RestoreReport BoardLease::release() {
  if (!lock_) return {};
  RestoreReport report = put_back(board_, saved_);
  finish(report, saved_path_, log_);
  lock_.reset();
  return report;
}

Expected<RestoreReport> restore_saved_knobs(Board& board, const std::string& state_dir, Logger log) {
  FULCRUM_TRY_ASSIGN(lock, lock_lease(state_dir));
  const std::string path = saved_path_in(state_dir);
  FULCRUM_TRY_ASSIGN(saved, leftover(board, path, log));
  RestoreReport report;
  if (saved) report = put_back(board, *saved);
  finish(report, path, log);
  return report;
}

}  // namespace fulcrum

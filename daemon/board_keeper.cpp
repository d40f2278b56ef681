#include "daemon/board_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "daemon/board_tree.h"
#include "daemon/profile_book.h"

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::milliseconds kBoardPoll{500};

// Told by the field, which is that of the configuration.
Unexpected unusable_mode(Error error) {
  error.field = kModeField;
  return in_context(std::move(error), "the configured mode");
}

}  // namespace

Expected<BoardKeeper::Found> BoardKeeper::find_board(const DaemonConfig& config, const Clock& clock) {
  FULCRUM_TRY_ASSIGN(tree, open_board_tree(config, clock));
  FULCRUM_TRY_ASSIGN(description, describe_board(config, *tree));
  FULCRUM_TRY_ASSIGN(board, Board::discover(std::move(tree), std::move(description), clock));
  Found found;
  found.board = std::move(board);
  if (!config.simulates_board()) return found;
  FULCRUM_TRY_ASSIGN(for_load, SimulatedFileTree::open(config.simulated_state_path(), clock));
  FULCRUM_TRY_ASSIGN(workloads, SimulatedWorkloads::builtin(config.simulated_board()));
  found.simulated = std::move(for_load);
  found.workloads = std::move(workloads);
  return found;
}

// Drivers of sensors, and of the GPU, may be loaded after we are started.
Expected<BoardKeeper::Found> BoardKeeper::wait_for_board(const DaemonConfig& config, const Clock& clock,
                                                         const Logger& log) {
  const auto deadline = clock.now() + from_ms(1000 * config.board_wait_s);
  while (true) {
    auto found = find_board(config, clock);
    if (found || found.error().code != ErrorCode::unavailable || clock.now() >= deadline) return found;
    log->debug("the board is not whole yet: {}", found.error().to_string());
    std::this_thread::sleep_for(kBoardPoll);
  }
}

Expected<std::unique_ptr<BoardKeeper>> BoardKeeper::open(const DaemonConfig& config, const Clock& clock,
                                                         Logger log) {
  FULCRUM_TRY_ASSIGN(found, wait_for_board(config, clock, log));
  std::unique_ptr<BoardKeeper> keeper(new BoardKeeper(std::move(found), config, clock, std::move(log)));
  FULCRUM_TRY_ASSIGN(restored, restore_saved_knobs(*keeper->found_.board, config.state_dir, keeper->log_));
  if (!restored.knobs.empty()) keeper->log_->warn("the daemon before this one did not give the board back");
  FULCRUM_TRY(keeper->choose_mode(config));
  keeper->report_idle();  // a daemon that crashed may have left the board with its load
  keeper->note_power(keeper->board().read_power());
  return keeper;
}

BoardKeeper::BoardKeeper(Found found, const DaemonConfig& config, const Clock& clock, Logger log)
    : clock_(clock), log_(std::move(log)), state_dir_(config.state_dir), found_(std::move(found)) {
  if (config.apply == "nvpmodel") nvpmodel_ = config.nvpmodel_program();
}

Expected<void> BoardKeeper::choose_mode(const DaemonConfig& config) {
  if (config.searches_mode()) return {};
  if (const auto* name = std::get_if<std::string>(&config.mode)) {
    auto mode = found_.board->mode_named(*name);
    if (!mode) return unusable_mode(mode.error());
    fixed_mode_ = *mode;
    return {};
  }
  fixed_mode_ = std::get<PowerMode>(config.mode);
  if (auto checked = found_.board->check(*fixed_mode_); !checked) return unusable_mode(checked.error());
  return {};
}

Expected<scheduler::ModeGrid> BoardKeeper::grid() const {
  FULCRUM_TRY_ASSIGN(all, scheduler::ModeGrid::of_board(found_.board->levels()));
  return scheduler::thinned(all);
}

scheduler::StrategyTools BoardKeeper::strategy_tools() const {
  const auto& board = *found_.board;
  scheduler::StrategyTools tools;
  for (const auto& preset : board.presets()) {
    if (board.why_unreachable(preset).empty()) tools.presets.push_back(preset.mode);
  }
  tools.priors = scheduler::priors_of_board(board.id(), board.usual_idle_w(), board.usual_most_w());
  return tools;
}

std::string BoardKeeper::name_of(const PowerMode& mode) const {
  for (const auto& preset : found_.board->presets()) {
    if (preset.mode == mode && found_.board->why_unreachable(preset).empty()) return preset.name;
  }
  return {};
}

Expected<void> BoardKeeper::take(const PowerMode& mode) {
  if (lease_) return {};
  FULCRUM_TRY_ASSIGN(lease, BoardLease::acquire(*found_.board, state_dir_, log_, nvpmodel_));
  auto applied = lease->apply(mode);
  // In a search any mode will do to begin with; one that this board does not take must not keep jobs waiting.
  for (const auto& other : {found_.board->highest_mode(), found_.board->lowest_mode()}) {
    if (applied || fixed_mode_) break;
    log_->warn("{}; another mode is tried", applied.error().to_string());
    if (auto instead = lease->apply(other)) applied = std::move(instead);
  }
  if (!applied) return Unexpected(std::move(applied).error());
  mode_ = *applied;
  lease_ = std::move(lease);
  power_ = PowerMeter();
  return {};
}

Expected<void> BoardKeeper::apply(const PowerMode& mode) {
  mode_.reset();
  if (!lease_) return fail(ErrorCode::unavailable, "the board was given back");
  FULCRUM_TRY(lease_->apply(mode));
  mode_ = mode;
  log_->debug("board set to {}", mode.to_string());
  return {};
}

void BoardKeeper::give_back() {
  if (!lease_) return;
  lease_->release();  // logs what it did
  lease_.reset();
  mode_.reset();
}

Expected<std::vector<worker::PaceEntry>> BoardKeeper::pace_in(const PowerMode& mode,
                                                              const JobSpec& spec) const {
  std::vector<worker::PaceEntry> entries;
  if (!found_.workloads) return entries;
  const int largest = spec.batch_sizes().back();
  // Training steps have one size; an inference batch may be partial, of any size up to the largest.
  const int smallest = spec.training() != nullptr ? largest : 1;
  const PowerMode maxn = found_.board->highest_mode();
  for (int b = smallest; b <= largest; ++b) {
    const auto in_mode = found_.workloads->step_time_ms(spec.workload_class, task_of(spec), b, mode);
    const auto in_maxn = found_.workloads->step_time_ms(spec.workload_class, task_of(spec), b, maxn);
    if (!in_mode || !in_maxn) {
      Error error = in_mode ? in_maxn.error() : in_mode.error();
      error.field = "/class";
      return Unexpected(std::move(error));
    }
    entries.push_back({b, *in_mode, *in_maxn});
  }
  return entries;
}

Expected<std::optional<worker::Pace>> BoardKeeper::pace(const JobSpec& spec,
                                                        std::optional<double> kappa) const {
  FULCRUM_TRY_ASSIGN(entries, pace_in(mode_.value_or(found_.board->highest_mode()), spec));
  if (entries.empty()) return std::optional<worker::Pace>();
  return std::optional<worker::Pace>({std::move(entries), kappa});
}

void BoardKeeper::add_edges(const worker::DeviceSlice& slice, const JobSpec* spec, bool ended,
                            std::vector<SimulatedLoadEdge>& edges) const {
  if (spec == nullptr) return;
  edges.push_back({slice.started_ns, true, spec->workload_class, task_of(*spec), slice.batch_size});
  if (ended) edges.push_back({slice.ended_ns, false, {}, {}, 0});
}

void BoardKeeper::report_load(const worker::Load& load, const std::function<const JobSpec*(JobId)>& spec_of) {
  for (const auto& slice : load.slices)
    gpu_.step(from_ns(slice.started_ns), from_ns(slice.ended_ns));
  if (load.running) gpu_.running(from_ns(load.running->started_ns));
  std::vector<SimulatedLoadEdge> edges;
  for (const auto& slice : load.slices)
    add_edges(slice, spec_of(slice.job), true, edges);
  if (load.running) add_edges(*load.running, spec_of(load.running->job), false, edges);
  if (!edges.empty()) tell_load(edges);
}

void BoardKeeper::report_idle() {
  SimulatedLoadEdge idle;
  idle.at_ns = to_ns(clock_.now());
  tell_load({idle});
}

void BoardKeeper::tell_load(const std::vector<SimulatedLoadEdge>& edges) {
  if (!found_.simulated) return;
  const auto written = found_.simulated->report_load(edges);
  if (!written && !std::exchange(trouble_told_, true)) {
    log_->error("the simulated board does not learn of its load: {}", written.error().to_string());
  }
}

Expected<PowerSample> BoardKeeper::sample_power() {
  auto sample = found_.board->read_power();
  note_power(sample);
  watch_gpu();
  return sample;
}

void BoardKeeper::watch_gpu() {
  const auto load = found_.board->read_gpu_load();
  if (!load || !*load) return;  // a board that does not tell, now or ever, is not watched
  gpu_.load(**load, clock_.now());
  const double foreign = gpu_.foreign(clock_.now()).value_or(0);
  if (foreign > 0 && !std::exchange(foreign_told_, true)) {
    log_->warn("another program uses the GPU for {:.0f} % of the time; probes taken meanwhile are marked",
               100 * foreign);
  }
  if (foreign <= 0) foreign_told_ = false;
}

Expected<std::vector<BoardLease::Change>> BoardKeeper::foreign_changes() const {
  if (!lease_) return std::vector<BoardLease::Change>();
  return lease_->foreign_changes();
}

void BoardKeeper::note_power(const Expected<PowerSample>& sample) {
  if (sample) {
    if (lease_) power_.add(sample->total_w, sample->taken_at);
    least_power_w_ = std::min(least_power_w_.value_or(sample->total_w), sample->total_w);
    trouble_told_ = false;
  } else if (!std::exchange(trouble_told_, true)) {
    log_->error("the board's power cannot be read: {}", sample.error().to_string());
  }
}

Expected<RestoreReport> restore_knobs(const DaemonConfig& config, const Clock& clock, Logger log) {
  FULCRUM_TRY_ASSIGN(found, BoardKeeper::find_board(config, clock));
  return restore_saved_knobs(*found.board, config.state_dir, std::move(log));
}

}  // namespace fulcrum::daemon

// For random boards, modes and faults: after release every knob is what it was or is named in the report, no
// minimum ever stood above its maximum, and cpu0 was never told to go offline.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "powermode/knob_writer.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_knobs.h"
#include "powermode/simulated_machine.h"
#include "tests/unit/powermode/simulated_board.h"

namespace fulcrum {
namespace {

using Kind = SimulatedFault::Kind;
using powermode::SimulatedMachine;
using powermode::SimulatedState;
using test::SimulatedBoard;
namespace node = test::node;

template <class T>
T any_of(const std::vector<T>& values) {
  return *rc::gen::elementOf(values);
}

PowerMode any_mode(const BoardLevels& levels) {
  return {any_of(levels.cpu_cores), any_of(levels.cpu_khz), any_of(levels.gpu_hz), any_of(levels.emc_hz)};
}

// Boards whose knobs are turned.
std::vector<std::string> boards() {
  auto names = powermode::simulated_board_names();
  names.erase(std::remove(names.begin(), names.end(), "agx-thor"), names.end());
  return names;
}

// What nodes say, as the board itself has it, past any fault; limits also of clusters that are offline.
class Truth {
 public:
  explicit Truth(const std::string& board) : machine_(*SimulatedMachine::of_board(board)) {}

  std::map<std::string, std::string> of(SimulatedState state, const std::vector<std::string>& paths) const {
    state.faults.clear();
    auto all_online = state;
    all_online.cpu_online.assign(state.cpu_online.size(), true);
    std::map<std::string, std::string> texts;
    for (const auto& path : paths) {
      const auto& seen = path.find("/cpufreq/") == std::string::npos ? state : all_online;
      const auto resolved = machine_->resolve(seen, path, true);
      if (!resolved) continue;
      if (auto text = machine_->read(seen, *resolved, 0)) texts[path] = *text;
    }
    return texts;
  }

  // With the kernel's own eyes: a range is never upside down, cpu0 never offline.
  void check(const SimulatedState& state) const {
    const auto& hardware = machine_->hardware();
    for (const auto& cluster : state.clusters) {
      const auto limits = powermode::cpu_limits(hardware, cluster);
      RC_ASSERT(limits.min <= limits.max);
      RC_ASSERT(cluster.min <= cluster.max);
    }
    RC_ASSERT(state.gpu.min <= state.gpu.max);
    RC_ASSERT(state.cpu_online[0]);
  }

 private:
  std::unique_ptr<SimulatedMachine> machine_;
};

class Scenario {
 public:
  explicit Scenario(const std::string& name) : simulated_(name), truth_(name) {
    board_ = simulated_.discover(std::make_unique<test::WatchedTree>(
        simulated_.open_tree(),
        [](const std::string& path, std::string_view) { RC_ASSERT(path != node::online(0)); },
        [this](const std::string&, std::string_view) { truth_.check(*simulated_.tree->state()); }));
    // All that a lease may turn, whichever CPUs are online just now.
    const auto all_online = powermode::KnobWriter(*board_).read().value();
    for (const auto& entry : all_online.entries())
      paths_.push_back(entry.path);
  }

  // Someone else left the knobs in an odd but legal state.
  void shuffle_knobs() {
    const auto& levels = board_->levels();
    for (const auto& path : paths_) {
      if (ends_with(path, "_max_freq") || ends_with(path, "/max_freq")) shuffle_range(path, levels);
    }
    if (*rc::gen::arbitrary<bool>()) {
      for (const char* lock : {"/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked",
                               "/sys/kernel/debug/clk/override.emc/clk_state"})
        set(lock, 1);
      for (const char* rate : {"/sys/kernel/debug/bpmp/debug/clk/emc/rate",
                               "/sys/kernel/debug/clk/override.emc/clk_update_rate"})
        set(rate, any_of(levels.emc_hz));
    }
    for (const auto& path : paths_) {
      if (ends_with(path, "emc_iso_cap") || ends_with(path, "nvpmodel_clk_cap/emc"))
        set(path, *rc::gen::arbitrary<bool>() ? levels.emc_hz.back() : any_of(levels.emc_hz));
    }
    for (const auto& path : paths_) {
      if (ends_with(path, "/online") || ends_with(path, "/railgate_enable"))
        set(path, *rc::gen::inRange(0, 2));
    }
  }

  // At most one fault a knob: of two, one may hide the other from anybody.
  void add_faults(int most) {
    auto paths = paths_;
    for (int i = *rc::gen::inRange(0, most + 1); i > 0; --i) {
      const std::string path = any_of(paths);
      paths.erase(std::find(paths.begin(), paths.end(), path));
      const Kind kind =
          any_of(std::vector<Kind>{Kind::write_error, Kind::ignore_write, Kind::read_error, Kind::frozen});
      const bool error = kind == Kind::write_error || kind == Kind::read_error;
      const std::string name =
          error ? any_of(std::vector<std::string>{"EBUSY", "EIO", "EAGAIN", "ENODEV", "EACCES"}) : "";
      const auto count = *rc::gen::arbitrary<bool>() ? std::optional<int>() : *rc::gen::inRange(1, 6);
      RC_ASSERT(simulated_.tree->add_fault({path, kind, name, count, {}}).has_value());
    }
  }

  std::map<std::string, std::string> truth() const {
    auto texts = truth_.of(*simulated_.tree->state(), paths_);
    // Without a lock the rate is no knob, and the node may tell whatever the firmware makes of it.
    for (const auto& [lock, rate] : {std::pair("/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked",
                                               "/sys/kernel/debug/bpmp/debug/clk/emc/rate")}) {
      if (texts.count(lock) > 0 && texts[lock] != "1\n") texts.erase(rate);
    }
    return texts;
  }

  SimulatedBoard simulated_;
  std::unique_ptr<Board> board_;

 private:
  static bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
  }
  void set(const std::string& path, std::int64_t value) { (void)simulated_.set(path, std::to_string(value)); }

  void shuffle_range(const std::string& max_path, const BoardLevels& levels) {
    const bool cpu = ends_with(max_path, "scaling_max_freq");
    const auto& values = cpu ? levels.cpu_khz : levels.gpu_hz;
    const auto a = any_of(values);
    const auto b = any_of(values);
    const auto directory = max_path.substr(0, max_path.rfind('/') + 1);
    set(max_path, std::max(a, b));
    set(directory + (cpu ? "scaling_min_freq" : "min_freq"), std::min(a, b));
  }

  Truth truth_;
  std::vector<std::string> paths_;
};

RC_GTEST_PROP(RestoreProperty, EveryKnobIsWhatItWasOrIsNamed, ()) {
  Scenario scenario(any_of(boards()));
  scenario.shuffle_knobs();
  const auto before = scenario.truth();
  auto lease = BoardLease::acquire(*scenario.board_, scenario.simulated_.state_dir(), make_null_logger());
  RC_ASSERT(lease.has_value());
  for (int rounds = *rc::gen::inRange(1, 4); rounds > 0; --rounds) {
    const PowerMode mode = any_mode(scenario.board_->levels());
    const auto applied = (*lease)->apply(mode);
    if (applied) RC_ASSERT(*applied == mode);
    scenario.add_faults(3);
  }
  const RestoreReport report = (*lease)->release();

  std::set<std::string> named;
  for (const auto& knob : report.knobs) {
    if (!knob.error.empty()) named.insert(knob.path);
  }
  const auto after = scenario.truth();
  for (const auto& [path, value] : before) {
    const auto now = after.find(path);
    const bool same = now != after.end() && now->second == value;
    if (!same && named.count(path) != 1) RC_FAIL(fmt::format("{} was {} and is not named", path, value));
  }
  RC_ASSERT(report.complete() == (test::slurp(scenario.simulated_.saved_path()) == "<absent>"));

  // With the faults gone, what is still owed can be restored.
  RC_ASSERT(scenario.simulated_.tree->clear_faults().has_value());
  const auto rest =
      restore_saved_knobs(*scenario.board_, scenario.simulated_.state_dir(), make_null_logger());
  RC_ASSERT(rest.has_value());
  RC_ASSERT(rest->complete());
  RC_ASSERT(scenario.truth() == before);
}

RC_GTEST_PROP(RestoreProperty, WithoutFaultsEveryModeIsAppliedAndTakenBack, ()) {
  Scenario scenario(any_of(boards()));
  scenario.shuffle_knobs();
  const auto before = scenario.truth();
  auto lease = BoardLease::acquire(*scenario.board_, scenario.simulated_.state_dir(), make_null_logger());
  RC_ASSERT(lease.has_value());
  for (int rounds = 0; rounds < 2; ++rounds) {
    const PowerMode mode = any_mode(scenario.board_->levels());
    RC_ASSERT((*lease)->apply(mode).has_value());
    RC_ASSERT(scenario.board_->read_mode().value() == mode);
  }
  RC_ASSERT((*lease)->release().complete());
  RC_ASSERT(scenario.truth() == before);
}

}  // namespace
}  // namespace fulcrum

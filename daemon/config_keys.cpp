#include "daemon/config_keys.h"

#include <fmt/format.h>

#include "powermode/board_catalogue.h"
#include "powermode/simulated_hardware.h"
#include "scheduler/exhaustive.h"
#include "scheduler/gmd.h"

namespace fulcrum::daemon {

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

std::string quoted_if_empty(const std::string& text) {
  return text.empty() ? "\"\"" : text;
}

std::string default_of(const ConfigKey& key) {
  DaemonConfig defaults;
  return std::visit(Overloaded{
                        [&](const WholeField& field) { return fmt::format("{}", field.at(defaults)); },
                        [&](const NumberField& field) { return fmt::format("{:g}", field.at(defaults)); },
                        [&](const ModeField&) { return std::get<std::string>(defaults.mode); },
                        [&](const auto& field) { return quoted_if_empty(field.at(defaults)); },
                    },
                    key.field);
}

// Lists of names may be long.
std::string wrapped(const std::vector<std::string>& names) {
  constexpr std::size_t kWidth = 100;
  std::string text = "One of:";
  std::size_t column = text.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto word = fmt::format("{}{}", names[i], i + 1 < names.size() ? "," : ".");
    const bool fits = column + 1 + word.size() <= kWidth;
    text += (fits ? " " : "\n  ") + word;
    column = fits ? column + 1 + word.size() : 2 + word.size();
  }
  return text;
}

std::string allowed_of(const ConfigKey& key) {
  return std::visit(
      Overloaded{
          [](const ChoiceField& field) { return wrapped(field.choices); },
          [](const WholeField& field) { return fmt::format("From {} to {}.", field.min, field.max); },
          [](const NumberField& field) { return fmt::format("From {:g} to {:g}.", field.min, field.max); },
          [](const auto&) { return std::string(); },
      },
      key.field);
}

std::vector<std::string> board_choices() {
  std::vector<std::string> choices{kDetectBoard};
  for (auto& id : builtin_board_ids())
    choices.push_back(std::move(id));
  for (const auto& name : powermode::simulated_board_names())
    choices.push_back(std::string(kSimulatedBoard) + name);
  return choices;
}

std::string as_comment(const std::string& lines, const std::string& indent) {
  std::string comment;
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    comment += fmt::format("{}# {}\n", indent, lines.substr(at, end - at));
    at = end + 1;
  }
  return comment;
}

bool is_strategy(const std::string& name) {
  return scheduler::strategy_traits(name, scheduler::ProblemKind::train).has_value();
}

}  // namespace

const std::vector<ConfigKey>& config_keys() {
  using Config = DaemonConfig;
  static const std::vector<ConfigKey> keys{
      {"state_dir", PathField{[](Config& c) -> std::string& { return c.state_dir; }, false},
       "What outlives the daemon: jobs, checkpoints, saved knobs."},
      {"runtime_dir", PathField{[](Config& c) -> std::string& { return c.runtime_dir; }, false},
       "Where the control socket, control.sock, is made."},
      {"log_level",
       ChoiceField{[](Config& c) -> std::string& { return c.log_level; },
                   {"trace", "debug", "info", "warn", "error"}},
       "The least important messages that are logged."},
      {"board", ChoiceField{[](Config& c) -> std::string& { return c.board; }, board_choices()},
       "The board that this machine is, or the one that is simulated. auto: as the machine's device tree "
       "says."},
      {"board_root", PathField{[](Config& c) -> std::string& { return c.board_root; }, false},
       "Where the tree of the board's /sys, /proc and /etc begins: another directory is for tests on a "
       "mounted\n"
       "board (fulcrum-simboard mount)."},
      {"board_wait_s", NumberField{[](Config& c) -> double& { return c.board_wait_s; }, 0, 600},
       "How long to wait at the start for nodes that the kernel's drivers have not made yet."},
      {"simulated_state", PathField{[](Config& c) -> std::string& { return c.simulated_state; }, true},
       "The file in which a simulated board lives. Empty: board.json in state_dir."},
      {"apply", ChoiceField{[](Config& c) -> std::string& { return c.apply; }, {"sysfs", "nvpmodel"}},
       "How a power mode is set. sysfs: its knobs are written. nvpmodel: NVIDIA's program sets the caps, "
       "its\n"
       "own presets or a mode made for it, and the clocks are then pinned to them. Either way the board is\n"
       "read back."},
      {"nvpmodel", PathField{[](Config& c) -> std::string& { return c.nvpmodel; }, true},
       "Where that program is. Empty: usr/sbin/nvpmodel below board_root."},
      {"mode", ModeField{},
       "The power mode. auto: Fulcrum measures the jobs in a few modes and chooses. Or one that is fixed: "
       "the\n"
       "name of one of the board's presets (MAXN, MODE_50W, ...), or the four knobs:\n"
       "  mode: {cpu_cores: 8, cpu_khz: 1728000, gpu_hz: 612000000, emc_hz: 3199000000}"},
      {"power_budget_w", NumberField{[](Config& c) -> double& { return c.power_budget_w; }, 0, 10000},
       "What the board may draw, in watts, until 'fulcrumctl budget set' says otherwise; 0: whatever it "
       "can.\n"
       "Needs mode: auto."},

      {"worker.program", PathField{[](Config& c) -> std::string& { return c.worker.program; }, true},
       "The worker. Empty: fulcrum-worker, beside fulcrumd."},
      {"worker.user", AccountField{[](Config& c) -> std::string& { return c.worker.user; }},
       "The account that the worker runs as when the daemon is root."},
      {"worker.threads", WholeField{[](Config& c) -> std::int64_t& { return c.worker.threads; }, 1, 64},
       "Threads that one minibatch is computed with on the CPU. A training job keeps the number that it\n"
       "began with, so that it ends with the same weights after a restart."},
      {"worker.heartbeat_timeout_s",
       NumberField{[](Config& c) -> double& { return c.worker.heartbeat_timeout_s; }, 1, 600},
       "A worker that is silent for longer is taken for dead and replaced."},
      {"worker.step_timeout_s",
       NumberField{[](Config& c) -> double& { return c.worker.step_timeout_s; }, 1, 3600},
       "A step that takes longer than this, and than 20 times what is known of it, does not end: the worker "
       "is "
       "started anew, and the job fails the third time."},
      {"worker.ready_timeout_s",
       NumberField{[](Config& c) -> double& { return c.worker.ready_timeout_s; }, 1, 3600},
       "How long a new worker may take to start."},
      {"worker.memory_headroom_mb",
       WholeField{[](Config& c) -> std::int64_t& { return c.worker.memory_headroom_mb; }, 0, 1 << 20},
       "Of the board's memory, what stays free, in MiB: a job that is known to need more than the rest "
       "waits\n"
       "until there is as much, or is refused if there never can be."},

      {"rpc.max_line_bytes",
       WholeField{[](Config& c) -> std::int64_t& { return c.rpc.max_line_bytes; }, 1024, 64 << 20},
       "The longest request."},
      {"rpc.max_clients", WholeField{[](Config& c) -> std::int64_t& { return c.rpc.max_clients; }, 1, 1024},
       "Connections at one time."},
      {"rpc.idle_timeout_s", NumberField{[](Config& c) -> double& { return c.rpc.idle_timeout_s; }, 1, 86400},
       "A connection that neither asks nor watches is closed after this time."},
      {"rpc.write_queue_bytes",
       WholeField{[](Config& c) -> std::int64_t& { return c.rpc.write_queue_bytes; }, 4096, 64 << 20},
       "What may wait for a client that reads slowly. One that falls further behind is dropped."},
      {"rpc.group", AccountField{[](Config& c) -> std::string& { return c.rpc.group; }},
       "Members of this group may use the control socket (when the daemon is root). Empty: root only."},

      {"scheduler.policy",
       ChoiceField{[](Config& c) -> std::string& { return c.scheduler.policy; }, {"managed"}},
       "How training and inference share the device."},
      {"scheduler.margin_ms",
       NumberField{[](Config& c) -> double& { return c.scheduler.margin_ms; }, 0, 1000},
       "How much earlier than the last moment a partial batch of requests is started."},
      {"scheduler.strategy",
       ChoiceField{[](Config& c) -> std::string& { return c.scheduler.strategy; },
                   scheduler::strategy_names(), is_strategy},
       "How the power mode is searched for (docs/searches.md); N stands for a number of probes. als and "
       "nn-N\n"
       "think in the worker. exhaustive measures in every mode of the grid, which takes hours."},
      {"scheduler.most_modes",
       WholeField{[](Config& c) -> std::int64_t& { return c.scheduler.most_modes; }, 0, 100000},
       "Once so many modes are known to the jobs that run together, no other is measured: the best of the "
       "known\n"
       "is taken. 0: as many as the strategy asks for, with rgs about six for the first budget."},

      {"profiler.minibatches",
       WholeField{[](Config& c) -> std::int64_t& { return c.profiler.minibatches; }, 10, 10000},
       "How many minibatches of a job are measured in a mode, at least."},
      {"profiler.measure_s", NumberField{[](Config& c) -> double& { return c.profiler.measure_s; }, 0.1, 600},
       "For how long they are measured, at least, in seconds. It is never less than twice the time that the\n"
       "board's power sensors average over."},
  };
  return keys;
}

std::string render_default_config() {
  std::string text = "# Configuration of fulcrumd: every key, with its default.\n";
  std::string group;
  for (const auto& key : config_keys()) {
    const auto dot = key.name.find('.');
    const std::string its_group = dot == std::string::npos ? "" : key.name.substr(0, dot);
    text += "\n";
    if (its_group != group) text += its_group + ":\n";
    group = its_group;
    const std::string indent = group.empty() ? "" : "  ";
    text += as_comment(key.doc, indent) + as_comment(allowed_of(key), indent);
    text += fmt::format("{}{}: {}\n", indent, key.name.substr(dot + 1), default_of(key));
  }
  return text;
}

}  // namespace fulcrum::daemon

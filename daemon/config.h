#pragma once
// What the operator decides: fulcrumd's configuration, from a YAML file and the command line. One table of
// keys drives reading, checking and the documented default file (config/fulcrumd.yaml).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "daemon/faults.h"
#include "powermode/nvpmodel_program.h"
#include "powermode/power_mode.h"

namespace fulcrum::daemon {

inline constexpr const char* kDefaultConfigPath = "/etc/fulcrum/fulcrumd.yaml";

inline constexpr std::string_view kSimulatedBoard = "simulated:";
inline constexpr const char* kDetectBoard = "auto";

struct DaemonConfig {
  std::string state_dir = "/var/lib/fulcrum";
  std::string runtime_dir = "/run/fulcrum";
  std::string log_level = "info";
  std::string board = "auto";    // auto, a board's id, or simulated:<name>
  std::string board_root = "/";  // of the tree that a real board is seen through
  double board_wait_s = 30;
  std::string apply = "sysfs";                        // or nvpmodel
  std::string nvpmodel;                               // empty: usr/sbin/nvpmodel below board_root
  std::string simulated_state;                        // empty: board.json in state_dir
  std::variant<std::string, PowerMode> mode{"auto"};  // auto, a preset's name, or the four knobs
  double power_budget_w = 0;                          // 0: none

  struct Worker {
    std::string program;  // empty: fulcrum-worker beside fulcrumd
    std::string user = "fulcrum-worker";
    std::int64_t threads = 1;
    double heartbeat_timeout_s = 10;
    double step_timeout_s = 30;
    double ready_timeout_s = 60;
    std::int64_t memory_headroom_mb = 256;
  } worker;

  struct Rpc {
    std::int64_t max_line_bytes = 1 << 20;
    std::int64_t max_clients = 64;
    double idle_timeout_s = 300;
    std::int64_t write_queue_bytes = 1 << 20;
    std::string group = "fulcrum";
  } rpc;

  struct Scheduler {
    std::string policy = "managed";
    double margin_ms = 5;
    std::string strategy = "rgs";
    std::int64_t most_modes = 0;  // 0: as many as the strategy asks for
  } scheduler;

  struct Profiler {
    std::int64_t minibatches = 40;
    double measure_s = 1;
  } profiler;

  bool searches_mode() const { return mode == std::variant<std::string, PowerMode>("auto"); }

  std::optional<double> power_budget() const {
    return power_budget_w > 0 ? std::optional<double>(power_budget_w) : std::nullopt;
  }
  std::int64_t memory_headroom_bytes() const { return worker.memory_headroom_mb << 20; }
  bool simulates_board() const { return board.rfind(kSimulatedBoard, 0) == 0; }
  std::string simulated_board() const { return board.substr(kSimulatedBoard.size()); }
  NvpmodelProgram nvpmodel_program() const;
  std::string control_socket() const { return runtime_dir + "/control.sock"; }
  std::string simulated_state_path() const {
    return simulated_state.empty() ? state_dir + "/board.json" : simulated_state;
  }
};

// The flags of fulcrumd that stand above the file.
struct ConfigFlags {
  std::optional<std::string> config;  // --config; none: kDefaultConfigPath, if it is there
  std::optional<std::string> state_dir;
  std::optional<std::string> runtime_dir;
  std::optional<std::string> log_level;  // checked by make_logger
};

// One fault for each thing that is wrong, its message beginning with file:line:column or the flag's name.
[[nodiscard]] Checked<DaemonConfig> load_config(const ConfigFlags& flags);

// `name` stands for the text in messages.
[[nodiscard]] Checked<DaemonConfig> parse_config(const std::string& text, const std::string& name);

}  // namespace fulcrum::daemon

// fulcrumd: the control plane. Reads its configuration, puts the parts together, and runs them on one thread.

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "common/clock.h"
#include "common/directory_lock.h"
#include "common/durable_file.h"
#include "common/logging.h"
#include "common/version.h"
#include "daemon/board_doctor.h"
#include "daemon/board_keeper.h"
#include "daemon/config.h"
#include "daemon/control_loop.h"
#include "daemon/rpc_methods.h"
#include "daemon/rpc_server.h"
#include "daemon/service_manager.h"

namespace fulcrum::daemon {
namespace {

// sysexits.h; the unit file keeps systemd from trying again after these two.
constexpr int kUsage = 2;
constexpr int kUnsupportedBoard = 69;  // EX_UNAVAILABLE
constexpr int kBadConfig = 78;         // EX_CONFIG

constexpr const char* kDescription =
    "Runs DNN training and inference together on one Jetson.\n\n"
    "Exit status: 0 ended as told, 1 failed, 2 wrong usage, 69 not a board that Fulcrum supports,\n"
    "78 the configuration is wrong.";

struct Options {
  ConfigFlags flags;
  bool check_config = false;
  bool restore_knobs = false;
  bool doctor = false;
};

int status_of(const Error& error) {
  if (error.field == kModeField) return kBadConfig;
  return error.code == ErrorCode::unsupported ? kUnsupportedBoard : 1;
}

std::string default_worker_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (error ? std::filesystem::path(".") : self.parent_path()) / "fulcrum-worker";
}

WorkerSettings worker_settings(const DaemonConfig& config) {
  WorkerSettings settings;
  settings.command.program = config.worker.program.empty() ? default_worker_program() : config.worker.program;
  settings.command.arguments = {"--log-level", config.log_level};
  settings.command.user = config.worker.user;
  settings.heartbeat_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      from_ms(config.worker.heartbeat_timeout_s * 1000));
  settings.ready_timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(from_ms(config.worker.ready_timeout_s * 1000));
  return settings;
}

int report(const Logger& log, const Error& error) {
  log->error("{}", error.to_string());
  return status_of(error);
}

int restore(const DaemonConfig& config, const Logger& log) {
  const SystemClock clock;
  const auto restored = restore_knobs(config, clock, log);
  if (!restored) return report(log, restored.error());
  std::cout << (restored->knobs.empty() ? "nothing to restore" : restored->summary()) << '\n';
  return restored->complete() ? 0 : 1;
}

int doctor(const DaemonConfig& config, const Logger& log) {
  const SystemClock clock;
  const auto found = examine_board(config, clock);
  if (!found) return report(log, found.error());
  std::cout << found->to_text();
  if (found->fit()) return 0;
  return found->id.empty() ? kUnsupportedBoard : 1;
}

// The parts in the order in which they depend on each other.
int serve(const DaemonConfig& config, const Logger& log) {
  const SystemClock clock;
  boost::asio::io_context io;
  for (const auto& directory : {config.state_dir, config.runtime_dir}) {
    if (auto made = make_directories(directory); !made) return report(log, made.error());
  }
  const auto lock = DirectoryLock::acquire(config.state_dir);
  if (!lock) return report(log, lock.error());
  auto board = BoardKeeper::open(config, clock, log);
  if (!board) return report(log, board.error());
  auto store = JobStore::open(config.state_dir + "/jobs.db");
  if (!store) return report(log, store.error());
  auto profiles = ProfileBook::open(config.state_dir + "/profiles.db", (*board)->board().id(),
                                    {(*board)->simulated(), static_cast<int>(config.worker.threads)});
  if (!profiles) return report(log, profiles.error());
  auto budget = PowerBudget::open(config.state_dir + "/budget.json", config.power_budget());
  if (!budget) return report(log, budget.error());

  const ServiceManager service_manager;
  auto made =
      ControlLoop::make({io, clock, config, std::move(*store), std::move(*board), std::move(*profiles),
                         std::move(*budget), worker_settings(config), log,
                         [&service_manager](const std::string& text) { service_manager.status(text); }});
  if (!made) return report(log, made.error());
  ControlLoop& control = **made;
  const auto dispatcher = make_dispatcher(control);
  if (!dispatcher) return report(log, dispatcher.error());
  auto server = RpcServer::start(io, RpcServer::Options::from(config), *dispatcher, log);
  if (!server) return report(log, server.error());
  if (auto started = control.start(); !started) return report(log, started.error());

  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&](boost::system::error_code error, int signal) {
    if (error) return;
    log->info("signal {}: shutting down", signal);
    service_manager.stopping();
    server->stop();
    control.stop([&io] { io.stop(); });
  });
  log->info("fulcrumd {} serves {}", kVersion, config.control_socket());
  service_manager.ready();
  io.run();
  log->info("fulcrumd has ended");
  return 0;
}

int parse(int argc, char** argv, Options& options) {
  CLI::App app{kDescription};
  app.set_version_flag("--version", kVersion);
  app.add_option("--config", options.flags.config,
                 std::string("YAML file (default: ") + kDefaultConfigPath + ")");
  app.add_option("--state-dir", options.flags.state_dir, "where jobs and checkpoints are kept");
  app.add_option("--runtime-dir", options.flags.runtime_dir, "where the control socket is");
  app.add_option("--log-level", options.flags.log_level, "trace, debug, info, warn or error");
  auto* check = app.add_flag("--check-config", options.check_config, "check the configuration and exit");
  app.add_flag("--restore-knobs", options.restore_knobs, "put the board's knobs back after a crash, and exit")
      ->excludes(check);
  app.add_flag("--doctor", options.doctor,
               "say what this board has and what is missing, and exit; 1: it will not do")
      ->excludes(check);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = app.exit(e);
    return status == 0 ? -1 : kUsage;
  }
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  if (const int status = parse(argc, argv, options); status != 0) return std::max(status, 0);
  // A peer that is gone is an error of the write, not the end of the daemon.
  std::signal(SIGPIPE, SIG_IGN);
  auto config = load_config(options.flags);
  if (!config) {
    for (const auto& fault : config.error())
      std::cerr << fault.to_string() << '\n';
    return kBadConfig;
  }
  auto log = make_logger("fulcrumd", config->log_level);
  if (!log) {
    std::cerr << "fulcrumd: " << log.error().to_string() << '\n';
    return kBadConfig;
  }
  if (options.check_config) return 0;
  if (options.doctor) return doctor(*config, *log);
  return options.restore_knobs ? restore(*config, *log) : serve(*config, *log);
}

}  // namespace
}  // namespace fulcrum::daemon

int main(int argc, char** argv) {
  try {
    return fulcrum::daemon::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "fulcrumd: internal error: " << e.what() << '\n';
    return 1;
  }
}

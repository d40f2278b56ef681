#pragma once
// fulcrumctl: the commands behind its words.

#include <optional>
#include <string>

#include "cli/failure.h"
#include "cli/rpc_client.h"
#include "cli/terminal.h"
#include "common/job_spec.h"

namespace fulcrum::cli {

inline constexpr const char* kDefaultSocket = "/run/fulcrum/control.sock";

struct GlobalOptions {
  std::string socket = kDefaultSocket;
  bool json = false;  // print the daemon's result as it is, for scripts
};

struct SubmitOptions {
  std::string file;  // "-": standard input
  std::optional<std::string> token;
  bool dry_run = false;
  bool wait = false;
};

struct ExportOptions {
  std::optional<std::string> workload;
  std::string file = "-";  // standard output
};

struct TraceOptions {
  double seconds = 10;
  std::string file = "-";  // standard output
};

struct ImportOptions {
  std::string file;  // "-": standard input
  bool equal_board = false;
};

// Runs one command for one call of the program.
class Commands {
 public:
  Commands(GlobalOptions options, Terminal& terminal) : options_(std::move(options)), terminal_(terminal) {}

  [[nodiscard]] Outcome<void> submit(const SubmitOptions& submit);
  [[nodiscard]] Outcome<void> list();
  [[nodiscard]] Outcome<void> get(const std::string& job);
  [[nodiscard]] Outcome<void> result(const std::string& job);
  [[nodiscard]] Outcome<void> watch(const std::optional<std::string>& job);
  [[nodiscard]] Outcome<void> cancel(const std::string& job);
  [[nodiscard]] Outcome<void> plan(bool explain);
  [[nodiscard]] Outcome<void> board();
  [[nodiscard]] Outcome<void> board_modes();
  [[nodiscard]] Outcome<void> board_sensors();
  [[nodiscard]] Outcome<void> board_doctor();  // `refused` when the board is not fit
  [[nodiscard]] Outcome<void> budget();
  [[nodiscard]] Outcome<void> set_budget(const std::string& watts);
  [[nodiscard]] Outcome<void> reset_budget();
  // Of one workload, by its fingerprint, or of all.
  [[nodiscard]] Outcome<void> profiles(const std::optional<std::string>& workload);
  [[nodiscard]] Outcome<void> forget_profiles(const std::optional<std::string>& workload);
  [[nodiscard]] Outcome<void> explore_profiles(int probes);
  [[nodiscard]] Outcome<void> export_profiles(const ExportOptions& wanted);
  [[nodiscard]] Outcome<void> import_profiles(const ImportOptions& wanted);
  [[nodiscard]] Outcome<void> trace(const TraceOptions& wanted);
  [[nodiscard]] Outcome<void> describe(const std::optional<std::string>& method);
  [[nodiscard]] Outcome<void> version();

 private:
  using Renderer = std::string (*)(const Json&);

  // Calls a method and prints its result.
  [[nodiscard]] Outcome<void> show(const std::string& method, Renderer renderer,
                                   const Json& params = Json::object());
  [[nodiscard]] Outcome<void> show_job(const std::string& method, const std::string& job, Renderer renderer);
  void print(const Json& result, Renderer renderer);
  [[nodiscard]] Outcome<void> follow(RpcClient client, std::optional<JobId> job);

  GlobalOptions options_;
  Terminal& terminal_;
};

// The job that `text` names: a number, or the name of exactly one job.
[[nodiscard]] Outcome<JobId> find_job(RpcClient& client, const std::string& text);

}  // namespace fulcrum::cli

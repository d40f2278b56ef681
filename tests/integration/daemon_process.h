#pragma once
// fulcrumd as a user runs it, in a directory of the test's own: the real program, the real worker, the
// simulated board.

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/rpc_client.h"
#include "common/job_spec.h"
#include "common/json_text.h"

namespace fulcrum::test {

// Whom the worker runs as when the test is root. An installation makes an account for it.
inline constexpr const char* kUnprivilegedWorker = "nobody";

class DaemonProcess {
 public:
  // Everything it writes is below `directory`. Without a worker_user, the worker is who the daemon is.
  // `mode`, `board`: the lines of the configuration that say which power mode, and which board.
  explicit DaemonProcess(std::string directory, const std::string& worker_user = {},
                         const std::string& mode = "mode: MODE_50W\n",
                         const std::string& board = "board: simulated:agx-orin\n");
  ~DaemonProcess();  // kill -9, if it still runs
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  // Returns once it answers; throws with its log if it does not.
  void start();
  // SIGTERM; its exit status.
  int stop();
  // SIGKILL, and gone.
  void kill();

  pid_t pid() const { return pid_; }
  std::string socket() const { return directory_ + "/run/control.sock"; }
  std::string state_dir() const { return directory_ + "/state"; }
  std::string board_state() const { return state_dir() + "/board.json"; }
  std::string log() const;

  cli::RpcClient connect() const;
  // Throws if it is refused.
  Json call(const std::string& method, const Json& params = Json::object()) const;
  JobId submit(const Json& spec) const;

  // The pid of the one child of the daemon; waits for it to be there.
  pid_t worker_pid() const;

  // Waits, by watching the job, until `done(event)`; throws if the job ends before, or after two minutes.
  Json watch_until(JobId job, const std::function<bool(const Json& event)>& done) const;
  // The end state and then the result.
  Json wait_for_result(JobId job) const;

  // Every knob of the board that Fulcrum turns, as the board's own state has it.
  std::map<std::string, std::string> knobs() const;

 private:
  std::string directory_;
  pid_t pid_ = -1;
};

bool process_exists(pid_t pid);
// For what cannot be waited for in a better way. Throws after two minutes.
void wait_until(const std::string& what, const std::function<bool()>& condition);
// Waits for a process that is not our child.
void wait_until_gone(pid_t pid);

// Runs a program to its end: exit status and what it wrote to both outputs.
struct ProgramResult {
  int status = 0;
  std::string output;
};
ProgramResult run_program(const std::string& command);

// A path of the build: bin/<name>.
std::string program(const std::string& name);

}  // namespace fulcrum::test

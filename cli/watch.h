#pragma once
// fulcrumctl watch: live progress, until the job ends or, for all jobs, until it is interrupted.

#include <map>
#include <optional>
#include <string>

#include "cli/failure.h"
#include "cli/rpc_client.h"
#include "cli/terminal.h"
#include "common/job_spec.h"

namespace fulcrum::cli {

// Shows events: on a terminal one line a job, drawn over; else one line an event.
class ProgressView {
 public:
  ProgressView(Terminal& terminal, bool json) : terminal_(terminal), json_(json) {}
  void show(const Json& event);

 private:
  struct Line {
    std::string name;
    std::string state;
    std::string progress;
    std::string search;  // of the last event, if that was one of a search: stands in place of the progress
  };
  void redraw();
  std::string to_text(JobId job, const Line& line) const;

  Terminal& terminal_;
  bool json_;
  std::map<JobId, Line> lines_;
  std::size_t drawn_ = 0;
};

struct WatchOptions {
  std::string socket;
  std::optional<JobId> job;
  bool json = false;
  Duration reconnect_for = std::chrono::minutes(1);  // a daemon that restarts is waited for
  Duration reconnect_every = std::chrono::milliseconds(500);
};

// Success when the job is done; `refused`, with the reason, when it failed or was cancelled.
[[nodiscard]] Outcome<void> watch(const WatchOptions& options, RpcClient client, Terminal& terminal);

}  // namespace fulcrum::cli

#pragma once
// A blocking client of fulcrumd's control socket, with a limit on every wait.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "cli/failure.h"
#include "common/clock.h"
#include "common/json_lines.h"
#include "common/json_text.h"
#include "common/unique_fd.h"

namespace fulcrum::cli {

class RpcClient {
 public:
  struct Limits {
    Duration answer_timeout = std::chrono::minutes(2);  // job.submit may wait for a worker to start
    std::size_t max_line_bytes = 64 << 20;
  };

  [[nodiscard]] static Outcome<RpcClient> connect(const std::string& socket_path, Limits limits);
  [[nodiscard]] static Outcome<RpcClient> connect(const std::string& socket_path) {
    return connect(socket_path, Limits());
  }

  // The result. `refused` with all faults that the daemon tells; `unreachable` if it goes away, says nothing
  // in time or sends what is no answer. Events that arrive meanwhile are kept for next_event.
  [[nodiscard]] Outcome<Json> call(const std::string& method, const Json& params = Json::object());

  // The params of the next notification, with no limit on the wait unless one is given (`timed_out`). After
  // job.watch.
  [[nodiscard]] Outcome<Json> next_event(std::optional<Duration> timeout = std::nullopt);

 private:
  using Deadline = std::optional<TimePoint>;

  RpcClient(UniqueFd fd, std::string path, Limits limits)
      : fd_(std::move(fd)), path_(std::move(path)), limits_(limits), lines_(limits.max_line_bytes) {}

  [[nodiscard]] Outcome<void> send(const std::string& line, Deadline deadline);
  [[nodiscard]] Outcome<Json> receive(Deadline deadline);
  [[nodiscard]] Outcome<void> wait(short events, Deadline deadline) const;
  tl::unexpected<Failure> lost(ErrorCode code, const std::string& what) const;
  tl::unexpected<Failure> nonsense(const std::string& what) const;

  UniqueFd fd_;
  std::string path_;
  Limits limits_;
  LineSplitter lines_;
  std::deque<Json> events_;
  std::int64_t last_id_ = 0;
};

}  // namespace fulcrum::cli

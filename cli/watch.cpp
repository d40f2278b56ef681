#include "cli/watch.h"

#include <fmt/format.h>

#include <thread>
#include <utility>
#include <vector>

#include "cli/render.h"
#include "cli/text.h"

namespace fulcrum::cli {

namespace {

JobId job_of(const Json& event) {
  return whole_in(event, "job").value_or(0);
}

// "" where the event is one of a job's state or progress.
std::string text_beside(const Json& event) {
  const auto kind = text_in(event, "event");
  if (kind == "fault") return "fault: " + text_in(object_in(event, "fault"), "message");
  if (kind == "epoch") return epoch_text(object_in(event, "epoch"));
  if (kind == "search") return search_text(object_in(event, "search"));
  return kind == "probe" ? probe_text(object_in(event, "probe")) : std::string();
}

// Whether the event is the end of the job; then how it ended.
std::optional<Outcome<void>> end_of(const Json& event) {
  const auto state = text_in(event, "state");
  if (state == "done") return Outcome<void>{};
  if (state != "failed" && state != "cancelled") return std::nullopt;
  const auto error = text_in(event, "error");
  return Outcome<void>(
      fails(FailureKind::refused, ErrorCode::unavailable,
            fmt::format("job {} {}{}{}", job_of(event), state == "failed" ? "failed" : "was cancelled",
                        error.empty() ? "" : ": ", error)));
}

Outcome<void> subscribe(RpcClient& client, std::optional<JobId> job) {
  Json params = Json::object();
  if (job) params["id"] = *job;
  if (auto answer = client.call("job.watch", params); !answer) return fails(std::move(answer).error());
  return {};
}

// Shows events until the job ends, or the connection.
Outcome<void> follow(RpcClient& client, const std::optional<JobId>& job, ProgressView& view) {
  while (true) {
    auto event = client.next_event();
    if (!event) return fails(std::move(event).error());
    view.show(*event);
    if (!job || job_of(*event) != *job) continue;
    if (const auto end = end_of(*event)) return *end;
  }
}

// A daemon that restarts comes back on the same socket. `loss`: why the connection was lost.
Outcome<RpcClient> reconnect(const WatchOptions& options, Failure loss) {
  const SystemClock clock;
  const TimePoint deadline = clock.now() + options.reconnect_for;
  while (clock.now() < deadline) {
    std::this_thread::sleep_for(options.reconnect_every);
    auto client = RpcClient::connect(options.socket);
    if (!client) continue;
    if (auto subscribed = subscribe(*client, options.job); subscribed)
      return client;
    else if (subscribed.error().kind == FailureKind::refused)
      return fails(std::move(subscribed).error());
  }
  return fails(std::move(loss));
}

}  // namespace

void ProgressView::show(const Json& event) {
  if (json_) {
    terminal_.out << to_line(event) << std::endl;
    return;
  }
  const JobId job = job_of(event);
  Line& line = lines_[job];
  if (const auto name = text_in(event, "name"); !name.empty()) line.name = name;
  if (const auto state = text_in(event, "state"); !state.empty()) line.state = state;
  if (const auto error = text_in(event, "error"); !error.empty()) line.progress = error;
  if (const auto progress = progress_text(object_in(event, "progress")); !progress.empty())
    line.progress = progress;
  // A job that is being profiled gets no further meanwhile: on a screen its line goes on to show the last
  // probe.
  const auto search = text_beside(event);
  if (!search.empty() || !terminal_.redraws || line.state != "profiling") line.search = search;
  if (terminal_.redraws) {
    redraw();
  } else if (text_in(object_in(event, "probe"), "state") != "begun") {  // its end will be told
    terminal_.out << to_text(job, line) << std::endl;
  }
}

void ProgressView::redraw() {
  std::string text;
  if (drawn_ > 0) text += fmt::format("\x1b[{}A", drawn_);  // up to the first line
  for (const auto& [job, line] : lines_) {
    text += "\r\x1b[2K" + fit(to_text(job, line), terminal_.columns - 1) + "\n";
  }
  drawn_ = lines_.size();
  terminal_.out << text << std::flush;
}

std::string ProgressView::to_text(JobId job, const Line& line) const {
  std::string text = fmt::format("job {}", job);
  const bool searching = !line.search.empty();
  std::vector<std::string> parts{line.name};
  if (!searching || terminal_.redraws) parts.push_back(line.state);
  parts.push_back(searching ? line.search : line.progress);
  for (const auto& part : parts) {
    if (!part.empty()) text += "  " + part;
  }
  return text;
}

Outcome<void> watch(const WatchOptions& options, RpcClient client, Terminal& terminal) {
  ProgressView view(terminal, options.json);
  if (auto subscribed = subscribe(client, options.job); !subscribed) return subscribed;
  std::optional<RpcClient> connection(std::move(client));
  while (true) {
    auto outcome = follow(*connection, options.job, view);
    if (outcome || outcome.error().kind != FailureKind::unreachable) return outcome;
    connection.reset();
    terminal.err << "fulcrumctl: the connection is lost; trying again for " << to_s(options.reconnect_for)
                 << " s" << std::endl;
    auto again = reconnect(options, std::move(outcome).error());
    if (!again) return fails(std::move(again).error());
    connection.emplace(*std::move(again));
  }
}

}  // namespace fulcrum::cli

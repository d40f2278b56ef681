#include "daemon/submissions.h"

#include <utility>

namespace fulcrum::daemon {

namespace {

constexpr std::chrono::seconds kAnswerWithin{20};
constexpr std::chrono::seconds kTrialWithin{110};  // for a model from a file, which the worker tries

std::vector<Error> no_answer(const WorkerSupervisor& worker) {
  std::string message = "the worker, which has to examine the job's files, does not answer";
  if (!worker.trouble().empty()) message += ": " + worker.trouble();
  return {fail(ErrorCode::unavailable, message, "try again in a moment; the daemon's log says more").value()};
}

}  // namespace

void Submissions::check(const JobSpec& spec, Checked done) {
  const auto request = ++last_request_;
  auto timer =
      std::make_unique<boost::asio::steady_timer>(io_, spec.model.is_file() ? kTrialWithin : kAnswerWithin);
  timer->async_wait([this, request](boost::system::error_code error) {
    if (!error) finish(request, no_answer(worker_));
  });
  pending_.emplace(request, Pending{spec, std::move(done), std::move(timer)});
  worker_.send(worker::CheckJob{request, spec});
}

void Submissions::handle(worker::JobChecked message) {
  finish(message.request, std::move(message.faults));
}

void Submissions::finish(std::uint64_t request, std::vector<Error> faults) {
  auto node = pending_.extract(request);
  if (node.empty()) return;  // answered already
  node.mapped().done(std::move(faults));
}

void Submissions::worker_up() {
  for (const auto& [request, pending] : pending_)
    worker_.send(worker::CheckJob{request, pending.spec});
}

void Submissions::abandon() {
  while (!pending_.empty())
    finish(pending_.begin()->first, no_answer(worker_));
}

}  // namespace fulcrum::daemon

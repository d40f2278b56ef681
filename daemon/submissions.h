#pragma once
// Jobs that have been handed in and whose files the worker is still examining.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "daemon/control.h"
#include "daemon/worker_supervisor.h"

namespace fulcrum::daemon {

class Submissions {
 public:
  // Called with the faults that the worker found, or `unavailable` when no worker answered in time.
  using Checked = std::function<void(std::vector<Error> faults)>;

  Submissions(boost::asio::io_context& io, WorkerSupervisor& worker) : io_(io), worker_(worker) {}

  void check(const JobSpec& spec, Checked done);
  void handle(worker::JobChecked message);
  // A new worker is up: what the last one did not answer is asked again.
  void worker_up();
  // Nobody will answer any more.
  void abandon();

 private:
  struct Pending {
    JobSpec spec;
    Checked done;
    std::unique_ptr<boost::asio::steady_timer> timer;
  };
  void finish(std::uint64_t request, std::vector<Error> faults);

  boost::asio::io_context& io_;
  WorkerSupervisor& worker_;
  std::uint64_t last_request_ = 0;
  std::map<std::uint64_t, Pending> pending_;
};

}  // namespace fulcrum::daemon

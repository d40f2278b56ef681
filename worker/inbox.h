#pragma once
// Work that other threads leave for the executor's thread, and the wait for it.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "common/clock.h"

namespace fulcrum::worker {

class Inbox {
 public:
  using Task = std::function<void()>;

  // From any thread.
  void post(Task task);
  void wake();

  // From the executor's thread: everything posted so far, in order.
  std::deque<Task> take();
  // Until there is a task, somebody called wake(), or the time has come (none: no limit).
  void wait(std::optional<TimePoint> until);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool woken_ = false;
};

}  // namespace fulcrum::worker

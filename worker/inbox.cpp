#include "worker/inbox.h"

#include <utility>

namespace fulcrum::worker {

void Inbox::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Inbox::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

std::deque<Inbox::Task> Inbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(tasks_, {});
}

void Inbox::wait(std::optional<TimePoint> until) {
  std::unique_lock lock(mutex_);
  const auto something = [this] { return woken_ || !tasks_.empty(); };
  if (until) {
    changed_.wait_until(lock, *until, something);
  } else {
    changed_.wait(lock, something);
  }
  woken_ = false;
}

}  // namespace fulcrum::worker

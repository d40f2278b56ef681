#pragma once
// One thread for what waits for the disk, so that the executor never does. Tasks run in order.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fulcrum::worker {

class Background {
 public:
  Background();
  ~Background();  // runs what has been posted, then ends
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void post(std::function<void()> task);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace fulcrum::worker

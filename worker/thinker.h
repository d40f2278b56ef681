#pragma once
// Thinks out what a search should measure next, on a thread of its own with the least priority, so that
// neither a slice nor a message waits for it.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "scheduler/learner.h"
#include "scheduler/strategy.h"
#include "worker/protocol.h"

namespace fulcrum::worker {

class Thinker {
 public:
  using Send = std::function<void(FromWorker)>;  // called from its thread

  Thinker(std::shared_ptr<const scheduler::Learner> learner, Send send);
  ~Thinker();  // waits for a fit that runs; no other begins, and nothing more is sent
  Thinker(const Thinker&) = delete;
  Thinker& operator=(const Thinker&) = delete;

  // From any thread. Takes the place of one that has not been begun.
  void think(Think question);

 private:
  class WatchedLearner;

  void run();
  Thought answer(const Think& question);
  [[nodiscard]] Expected<void> prepare(const Think& question);

  Send send_;
  std::shared_ptr<WatchedLearner> learner_;
  // Kept from one question to the next, for it remembers what it has thought out.
  std::string prepared_for_;
  std::unique_ptr<scheduler::Strategy> strategy_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Think> waiting_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace fulcrum::worker

#pragma once
// Prepares minibatches ahead of the step that takes them, in worker threads, and delivers them in the order
// of the epochs whatever the threads' luck. The contents depend on dataset, seed and position alone, never on
// the number of workers.

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "workloads/dataset.h"

namespace fulcrum::workloads {

// Where training stands in its data: the next minibatch to take.
struct LoaderPosition {
  std::uint64_t epoch = 0;
  std::uint64_t minibatch = 0;  // in the epoch
};

class MinibatchLoader {
 public:
  struct Options {
    std::size_t batch_size = 1;  // an epoch's last minibatch holds what is left, perhaps fewer
    std::uint64_t epochs = 1;    // nothing is prepared beyond these
    bool shuffle = true;         // a new order each epoch, from seed and epoch; else the dataset's own
    std::uint64_t seed = 1;
    std::size_t workers = 0;   // threads; 0: next() prepares the minibatch itself
    std::size_t prefetch = 1;  // minibatches that each worker may be ahead
    std::size_t shard = 0;     // see shuffled()
    // Called in a worker thread whenever ready() becomes true while it was false, except through next(): so
    // ask ready() after next(), and wait for this call when it says no. Must not call back into the loader.
    std::function<void()> on_ready;
    BatchMemory::Allocate allocate = BatchMemory::from_heap;  // memory for minibatches
  };

  struct Delivery {
    Minibatch minibatch;
    // The fetch stall: from when it could first have been taken, which is when ready() said no or next() was
    // called, until it was there.
    Duration stall{};
    Duration decode{};  // how long it took to prepare, in whichever thread
    Duration queued{};  // how long it lay ready before it was taken
  };

  // `clock` must outlive the loader.
  MinibatchLoader(std::shared_ptr<const Dataset> dataset, Options options, LoaderPosition start,
                  const Clock& clock);
  // Waits for minibatches in preparation, not for those that were still to come.
  ~MinibatchLoader();
  MinibatchLoader(const MinibatchLoader&) = delete;
  MinibatchLoader& operator=(const MinibatchLoader&) = delete;

  static std::uint64_t minibatches_per_epoch(std::size_t dataset_size, std::size_t batch_size);

  // next() will not wait. False at the end of the last epoch.
  bool ready() const;
  bool finished() const;

  // Waits for the next minibatch and takes it. An error of the dataset is delivered in its minibatch's place,
  // and again by every later call. Only one thread may take.
  [[nodiscard]] Expected<Delivery> next();

 private:
  // The order of one epoch, made by the first thread that needs it: for a large data set that takes a while,
  // and mutex_ must not be held for it.
  struct EpochOrder {
    std::once_flag made;
    std::vector<std::size_t> samples;
  };
  struct Prepared {
    Expected<Minibatch> minibatch;
    Duration decode{};
    TimePoint at{};  // when it was ready
  };
  struct Task {
    std::uint64_t sequence;
    LoaderPosition position;
    std::shared_ptr<EpochOrder> order;
  };

  Task claim();  // with mutex_ held
  bool may_claim() const { return to_claim_ < end_ && to_claim_ < to_deliver_ + slots_.size(); }
  Prepared prepare(const Task& task);
  Expected<Minibatch> read(const Task& task);
  Expected<Delivery> deliver(Prepared prepared, TimePoint asked);  // with mutex_ held
  std::vector<std::size_t> samples_of(const Task& task) const;
  void work();
  void stop();

  const std::shared_ptr<const Dataset> dataset_;
  const Options options_;
  const Clock& clock_;
  BatchMemory memory_;
  const std::uint64_t per_epoch_;
  const std::uint64_t end_;  // minibatches are numbered through all epochs: 0 .. end_ - 1

  mutable std::mutex mutex_;
  std::condition_variable room_;      // for workers: a slot came free, or stop
  std::condition_variable prepared_;  // for next(): the minibatch it waits for is there
  std::uint64_t to_claim_;
  std::uint64_t to_deliver_;
  std::vector<std::optional<Prepared>> slots_;  // minibatch i is in slot i % size
  mutable std::optional<TimePoint> wanted_;     // the next minibatch, which was not there
  std::shared_ptr<EpochOrder> order_;           // of the epoch that is being claimed
  std::uint64_t order_epoch_ = 0;
  std::optional<Error> failure_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fulcrum::workloads

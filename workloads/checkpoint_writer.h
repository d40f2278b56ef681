#pragma once
// Writes checkpoints in a thread of its own, so that the device never waits for a disk. At most one waits to
// be written: a newer one takes its place.

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "common/error.h"
#include "workloads/checkpoint_store.h"

namespace fulcrum::workloads {

class CheckpointWriter {
 public:
  explicit CheckpointWriter(CheckpointStore store);
  // Writes what still waits.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  void submit(StoredCheckpoint checkpoint);

  // Waits until everything submitted is on disk, or failed: trouble().
  [[nodiscard]] Expected<void> flush();

  // Why the newest that was to be written is not on disk; none while all is well. The disk may be full: those
  // before it are still there, and the next may succeed.
  std::optional<Error> trouble() const;

 private:
  void work();

  CheckpointStore store_;  // the thread's alone, after construction
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<StoredCheckpoint> waiting_;
  std::optional<Error> trouble_;
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fulcrum::workloads

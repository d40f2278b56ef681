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

  // Waits until everything submitted is on disk, or failed.
  [[nodiscard]] Expected<void> flush();

  // The step of the newest checkpoint that this object has brought to disk.
  std::optional<std::uint64_t> last_written() const;

  // What went wrong since the last call of this or of flush(), if anything: the newest error.
  std::optional<Error> take_error();

 private:
  void work();

  CheckpointStore store_;  // the thread's alone, after construction
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<StoredCheckpoint> waiting_;
  std::optional<std::uint64_t> last_written_;
  std::optional<Error> error_;
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fulcrum::workloads

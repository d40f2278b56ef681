#pragma once
// The checkpoints of one training job, in a directory of their own that this object has locked: written whole
// and durably, each with a checksum, the last ones kept, so that one broken file costs minutes and not the
// job.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/directory_lock.h"
#include "common/error.h"

namespace fulcrum::workloads {

struct StoredCheckpoint {
  std::uint64_t step = 0;
  std::string bytes;
};

// For those who do not own the directory: the steps of the checkpoints in it, descending, and one of them.
// Between the two the owner may have removed it: not_found.
[[nodiscard]] Expected<std::vector<std::uint64_t>> list_checkpoints(const std::string& directory);
[[nodiscard]] Expected<StoredCheckpoint> read_checkpoint(const std::string& directory, std::uint64_t step);

class CheckpointStore {
 public:
  // Creates the directory if it is missing. `busy` while another process has it. `kept`: how many stay.
  [[nodiscard]] static Expected<CheckpointStore> open(const std::string& directory, int kept = 2);

  // On disk when this returns, in checkpoint-<step>.ckpt; all but the newest are then removed.
  [[nodiscard]] Expected<void> write(std::uint64_t step, std::string_view bytes);

  // The newest that is whole, or none if there are no checkpoints. Each broken one that was passed over is
  // told in `warnings`; `corrupt` if all are.
  [[nodiscard]] Expected<std::optional<StoredCheckpoint>> load_latest(std::vector<Error>& warnings) const;

  const std::string& directory() const { return directory_; }

 private:
  CheckpointStore(std::string directory, DirectoryLock lock, int kept)
      : directory_(std::move(directory)), lock_(std::move(lock)), kept_(static_cast<std::size_t>(kept)) {}

  Expected<void> remove_leftovers() const;

  std::string directory_;
  DirectoryLock lock_;
  std::size_t kept_;
};

}  // namespace fulcrum::workloads

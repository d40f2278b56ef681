#pragma once
// One owner for a directory at a time, by flock(2) on a file `lock` inside it. The kernel drops the lock when
// the owner dies, however it dies; children do not inherit it.

#include <string>

#include "common/error.h"
#include "common/unique_fd.h"

namespace fulcrum {

class DirectoryLock {
 public:
  // `busy` when another process holds it; its pid is in the message.
  [[nodiscard]] static Expected<DirectoryLock> acquire(const std::string& directory);

 private:
  explicit DirectoryLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace fulcrum

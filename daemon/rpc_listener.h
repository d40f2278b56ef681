#pragma once
// The control socket's file: made so that at no moment more people can open it than should, and taken over
// from a daemon that died, but never from one that lives.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/unique_fd.h"

namespace fulcrum::daemon {

class SocketFile {
 public:
  // Listens at `path` (0660), whose group becomes `group` if one is given. `busy` if somebody listens there
  // already; `already_exists` if it is no socket.
  [[nodiscard]] static Expected<SocketFile> listen(const std::string& path, std::optional<gid_t> group);

  SocketFile(SocketFile&& other) noexcept
      : fd_(std::move(other.fd_)),
        path_(std::exchange(other.path_, {})),
        device_(other.device_),
        inode_(other.inode_) {}
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile() { remove(); }

  // The listening socket; the caller owns it from then on.
  int release_fd() { return fd_.release(); }

  // Removes the file, if it is still the one that was made here.
  void remove();

 private:
  SocketFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// `not_found` if there is no such group.
[[nodiscard]] Expected<gid_t> find_group(const std::string& name);

}  // namespace fulcrum::daemon

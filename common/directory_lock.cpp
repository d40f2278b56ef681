#include "common/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace fulcrum {

namespace {

std::string owner_of(int fd) {
  char text[32] = {};
  const ssize_t n = ::pread(fd, text, sizeof text - 1, 0);
  std::string pid(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!pid.empty() && pid.back() == '\n')
    pid.pop_back();
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

Expected<DirectoryLock> DirectoryLock::acquire(const std::string& directory) {
  const std::string path = directory + "/lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return fail_errno(errno, fmt::format("opening '{}'", path));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, fmt::format("locking '{}'", path));
    return fail(ErrorCode::busy, fmt::format("'{}' is in use by {}", directory, owner_of(fd.get())));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0) {
    return fail_errno(errno, fmt::format("writing '{}'", path));
  }
  return DirectoryLock(std::move(fd));
}

}  // namespace fulcrum

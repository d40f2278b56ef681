#include "daemon/rpc_listener.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace fulcrum::daemon {

namespace {

constexpr mode_t kMode = 0660;
constexpr int kBacklog = 128;

Expected<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("'{}' is longer than the {} bytes that a socket's path may have", path,
                            sizeof address.sun_path - 1),
                "choose a shorter runtime_dir");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Expected<UniqueFd> make_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fail_errno(errno, "creating a Unix socket");
  return fd;
}

// A socket file is stale when nobody accepts connections to it.
Expected<void> remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(errno, fmt::format("examining '{}'", path));
  }
  if (!S_ISSOCK(info.st_mode)) {
    return fail(ErrorCode::already_exists, fmt::format("'{}' exists and is no socket", path), "move it away");
  }
  FULCRUM_TRY_ASSIGN(probe, make_socket());
  if (::connect(probe.get(), generic(address), sizeof address) == 0 || errno == EAGAIN) {
    return fail(ErrorCode::busy, fmt::format("another fulcrumd listens at '{}'", path),
                "stop it, or use another runtime_dir");
  }
  if (errno != ECONNREFUSED && errno != ENOENT) return fail_errno(errno, fmt::format("probing '{}'", path));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return fail_errno(errno, fmt::format("removing '{}'", path));
  return {};
}

}  // namespace

Expected<gid_t> find_group(const std::string& name) {
  std::vector<char> buffer(4096);
  group entry{};
  group* found = nullptr;
  int error = 0;
  while ((error = ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  if (error != 0) return fail_errno(error, fmt::format("looking up group '{}'", name));
  if (found == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("there is no group '{}' to own the control socket", name),
                fmt::format("create it with 'groupadd --system {}', or set rpc.group to \"\"", name));
  }
  return entry.gr_gid;
}

Expected<SocketFile> SocketFile::listen(const std::string& path, std::optional<gid_t> group) {
  FULCRUM_TRY_ASSIGN(address, address_of(path));
  FULCRUM_TRY(remove_stale(path, address));
  FULCRUM_TRY_ASSIGN(fd, make_socket());
  // On Linux the file gets the socket's own mode (less the umask), so it is never open to more people than
  // this.
  if (::fchmod(fd.get(), kMode) != 0) return fail_errno(errno, "setting the mode of the control socket");
  if (::bind(fd.get(), generic(address), sizeof address) != 0) {
    return fail_errno(errno, fmt::format("creating '{}'", path));
  }
  SocketFile file(std::move(fd), path);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return fail_errno(errno, fmt::format("examining '{}'", path));
  file.device_ = info.st_dev;
  file.inode_ = info.st_ino;
  if (group && ::chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0) {
    return fail_errno(errno, fmt::format("giving '{}' to group {}", path, *group));
  }
  if (::chmod(path.c_str(), kMode) != 0)
    return fail_errno(errno, fmt::format("setting the mode of '{}'", path));
  if (::listen(file.fd_.get(), kBacklog) != 0)
    return fail_errno(errno, fmt::format("listening at '{}'", path));
  return file;
}

void SocketFile::remove() {
  struct stat info {};
  if (path_.empty() || ::lstat(path_.c_str(), &info) != 0) return;
  if (info.st_dev == device_ && info.st_ino == inode_) ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace fulcrum::daemon

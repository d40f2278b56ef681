#include "common/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "common/unique_fd.h"

namespace fulcrum {

namespace {

std::string parent_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Expected<void> fsync_directory(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, fmt::format("opening directory '{}'", directory));
  if (::fsync(fd.get()) != 0) return fail_errno(errno, fmt::format("syncing directory '{}'", directory));
  return {};
}

Expected<void> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, fmt::format("writing '{}'", path));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Expected<void> write_new_file(const std::string& path, std::string_view bytes, Durability durability,
                              unsigned mode) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(errno, fmt::format("creating '{}'", path));
  FULCRUM_TRY(write_all(fd.get(), bytes, path));
  if (::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0) {
    return fail_errno(errno, fmt::format("setting the permissions of '{}'", path));
  }
  if (durability == Durability::durable && ::fsync(fd.get()) != 0) {
    return fail_errno(errno, fmt::format("syncing '{}'", path));
  }
  return {};
}

}  // namespace

Expected<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return fail_errno(errno, fmt::format("opening '{}'", path));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, fmt::format("examining '{}'", path));
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is not a regular file", path));
  }
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(info.st_size));
  char chunk[16384];
  while (true) {
    const ssize_t n = ::read(fd.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, fmt::format("reading '{}'", path));
    if (n == 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(n));
    if (bytes.size() > max_bytes) {
      return fail(ErrorCode::limit_exceeded, fmt::format("'{}' is larger than {} bytes", path, max_bytes));
    }
  }
}

Expected<void> replace_file(const std::string& path, std::string_view bytes, Durability durability,
                            unsigned mode) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  // A leftover of a crashed process that had our pid.
  ::unlink(temporary.c_str());
  auto written = write_new_file(temporary, bytes, durability, mode);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = fail_errno(errno, fmt::format("renaming '{}' to '{}'", temporary, path));
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (durability == Durability::durable) return fsync_directory(parent_of(path));
  return {};
}

Expected<void> remove_file_durably(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return fail_errno(errno, fmt::format("removing '{}'", path));
  }
  return fsync_directory(parent_of(path));
}

Expected<void> make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail_errno(error.value(), fmt::format("creating directory '{}'", path));
  return {};
}

}  // namespace fulcrum

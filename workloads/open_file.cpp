#include "workloads/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "workloads/path_access.h"

namespace fulcrum::workloads {

Expected<OpenFile> open_regular_file(const std::string& path) {
  // O_NONBLOCK, so that opening a FIFO does not wait for a writer.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    const int error = errno;
    FULCRUM_TRY(check_readable(path));
    return fail_errno(error, fmt::format("opening '{}'", path));
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, fmt::format("examining '{}'", path));
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is not a regular file", path));
  }
  return OpenFile{std::move(fd), static_cast<std::uint64_t>(info.st_size)};
}

}  // namespace fulcrum::workloads

#include "powermode/real_file_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "powermode/open_inside.h"

namespace fulcrum {

namespace {

constexpr std::size_t kMaxBytes = 64U << 10;

std::string attempt(const char* doing, const std::string& path) {
  return fmt::format("{} '{}'", doing, path);
}

// "/sys/x" as "sys/x", to be resolved from the root's descriptor.
Expected<std::string> below_root(const std::string& path, const char* doing) {
  if (path.empty() || path.front() != '/') {
    return fail(ErrorCode::invalid_argument, attempt(doing, path) + ": the path is not absolute");
  }
  if ((path + "/").find("/../") != std::string::npos) {
    return fail(ErrorCode::invalid_argument, attempt(doing, path) + ": the path contains '..'");
  }
  if (path.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, attempt(doing, path) + ": the path contains a NUL");
  }
  const auto start = path.find_first_not_of('/');
  return start == std::string::npos ? "." : path.substr(start);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Expected<std::unique_ptr<RealFileTree>> RealFileTree::open(const std::string& root) {
  UniqueFd fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, attempt("opening directory", root));
  const bool confined = std::filesystem::path(root).lexically_normal() != "/";
  return std::unique_ptr<RealFileTree>(new RealFileTree(std::move(fd), confined));
}

Expected<UniqueFd> RealFileTree::open_below(const std::string& path, int flags, const char* doing) const {
  FULCRUM_TRY_ASSIGN(relative, below_root(path, doing));
  flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (confined_) {
    auto opened = powermode::open_inside(root_.get(), relative, flags);
    if (!opened) return fail_errno(opened.error(), attempt(doing, path));
    return std::move(*opened);
  }
  UniqueFd fd(::openat(root_.get(), relative.c_str(), flags));
  if (!fd.valid()) return fail_errno(errno, attempt(doing, path));
  return fd;
}

Expected<std::string> RealFileTree::read(const std::string& path) const {
  FULCRUM_TRY_ASSIGN(fd, open_below(path, O_RDONLY, "reading"));
  std::string content;
  char chunk[4096];
  while (true) {
    const ssize_t n = ::read(fd.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, attempt("reading", path));
    if (n == 0) return content;
    content.append(chunk, static_cast<std::size_t>(n));
    if (content.size() > kMaxBytes) {
      return fail(ErrorCode::limit_exceeded, fmt::format("'{}' is larger than {} bytes", path, kMaxBytes));
    }
  }
}

Expected<void> RealFileTree::write(const std::string& path, std::string_view value) {
  // O_TRUNC as a shell's `>` has it: attributes ignore it, and a plain file in a copied tree keeps no old
  // tail.
  FULCRUM_TRY_ASSIGN(fd, open_below(path, O_WRONLY | O_TRUNC | O_NOFOLLOW, "writing"));
  ssize_t n = -1;
  do {
    n = ::write(fd.get(), value.data(), value.size());
  } while (n < 0 && errno == EINTR);
  if (n < 0) return fail_errno(errno, attempt("writing", path));
  if (static_cast<std::size_t>(n) != value.size()) {
    return fail(ErrorCode::io, fmt::format("'{}' took only {} of {} bytes", path, n, value.size()));
  }
  return {};
}

Expected<std::vector<std::string>> RealFileTree::list(const std::string& path) const {
  FULCRUM_TRY_ASSIGN(fd, open_below(path, O_RDONLY | O_DIRECTORY, "listing"));
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(fd.get()));
  if (!directory) return fail_errno(errno, attempt("listing", path));
  fd.release();  // now the directory stream's
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    // Safe: nobody else has this stream.
    const dirent* entry = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe)
    if (entry == nullptr && errno != 0) return fail_errno(errno, attempt("listing", path));
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool RealFileTree::exists(const std::string& path) const {
  return open_below(path, O_PATH, "examining").has_value();
}

Expected<std::string> RealFileTree::readlink(const std::string& path) const {
  FULCRUM_TRY_ASSIGN(link, open_below(path, O_PATH | O_NOFOLLOW, "reading link"));
  char target[PATH_MAX];
  const ssize_t n = ::readlinkat(link.get(), "", target, sizeof target);
  // What is no link is ENOENT to readlinkat(2) without a name, though it was just opened.
  if (n < 0) return fail_errno(errno == ENOENT ? EINVAL : errno, attempt("reading link", path));
  if (static_cast<std::size_t>(n) == sizeof target) {
    return fail(ErrorCode::limit_exceeded, fmt::format("the target of link '{}' is too long", path));
  }
  return std::string(target, static_cast<std::size_t>(n));
}

}  // namespace fulcrum

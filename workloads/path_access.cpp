#include "workloads/path_access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <filesystem>
#include <system_error>
#include <vector>

namespace fulcrum::workloads {

namespace {

constexpr int kMostSymlinks = 40;  // as the kernel has it

std::string user_name() {
  struct passwd entry {};
  struct passwd* found = nullptr;
  std::vector<char> buffer(16384);
  ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->pw_name : std::to_string(::geteuid());
}

// As a shell would need it.
std::string shell_word(const std::string& text) {
  static const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:=@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// `letters` of rwx are what is missing on `component`.
Unexpected denied(const std::string& path, const std::string& component, const std::string& what,
                  const std::string& letters) {
  const std::string user = user_name();
  return fail(ErrorCode::permission_denied,
              fmt::format("'{}' cannot be used: user '{}' may not {} '{}'", path, user, what, component),
              fmt::format("setfacl -m u:{}:{} {}, or chmod o+{} {}", user, letters, shell_word(component),
                          letters, shell_word(component)));
}

Unexpected refused(int errno_value, const std::string& path, const std::string& component) {
  const std::string reason =
      errno_value == ENOENT ? "does not exist" : std::generic_category().message(errno_value);
  const auto code = errno_value == ENOENT ? ErrorCode::not_found : ErrorCode::io;
  if (component == path) return fail(code, fmt::format("'{}' {}", path, reason));
  return fail(code, fmt::format("'{}' cannot be used: '{}' {}", path, component, reason));
}

void push_front_components(std::deque<std::string>& components, const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(path).relative_path()) {
    if (!part.empty() && part != ".") parts.push_back(part.string());
  }
  components.insert(components.begin(), parts.begin(), parts.end());
}

// Walks to `path` as the kernel does. The result is the path without symlinks.
Expected<std::string> resolve(const std::string& path, const AccessCheck& access) {
  std::string at = "/";
  std::deque<std::string> rest;
  push_front_components(rest, path);
  int symlinks = 0;
  while (!rest.empty()) {
    if (const int error = access(at, X_OK); error == EACCES) {
      return denied(path, at, "search directory", "x");
    } else if (error != 0) {
      return refused(error, path, at);
    }
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name == "..") {
      at = std::filesystem::path(at).parent_path().string();
      continue;
    }
    std::string next = at;
    if (next != "/") next += '/';
    next += name;
    struct stat info {};
    if (::lstat(next.c_str(), &info) != 0) return refused(errno, path, next);
    if (S_ISLNK(info.st_mode)) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(next, error).string();
      if (error) return refused(error.value(), path, next);
      if (++symlinks > kMostSymlinks) return refused(ELOOP, path, next);
      push_front_components(rest, target);
      if (!target.empty() && target.front() == '/') at = "/";
      continue;
    }
    if (!rest.empty() && !S_ISDIR(info.st_mode)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' cannot be used: '{}' is not a directory", path, next));
    }
    at = next;
  }
  return at;
}

}  // namespace

int effective_access(const std::string& path, int mode) {
  return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 ? 0 : errno;
}

Expected<void> check_readable(const std::string& path, const AccessCheck& access) {
  FULCRUM_TRY_ASSIGN(resolved, resolve(path, access));
  const int error = access(resolved, R_OK);
  if (error == EACCES) return denied(path, resolved, "read", "r");
  if (error != 0) return refused(error, path, resolved);
  return {};
}

Expected<void> check_creatable(const std::string& path, const AccessCheck& access) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' exists and is not a regular file", path));
  }
  const std::string directory = std::filesystem::path(path).parent_path().string();
  FULCRUM_TRY_ASSIGN(resolved, resolve(directory, access));
  if (::stat(resolved.c_str(), &info) != 0) return refused(errno, path, resolved);
  if (!S_ISDIR(info.st_mode)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' cannot be used: '{}' is not a directory", path, resolved));
  }
  const int error = access(resolved, W_OK | X_OK);
  if (error == EACCES) return denied(path, resolved, "create files in directory", "wx");
  if (error == EROFS) {
    return fail(ErrorCode::permission_denied,
                fmt::format("'{}' cannot be used: '{}' is on a read-only file system", path, resolved));
  }
  if (error != 0) return refused(error, path, resolved);
  return {};
}

}  // namespace fulcrum::workloads

#include "powermode/open_inside.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <optional>
#include <vector>

namespace fulcrum::powermode {

namespace {

constexpr int kMostLinks = 40;  // as the kernel has it

// Where a link leads; none if it is none.
std::optional<std::string> target_of(const UniqueFd& link) {
  char target[PATH_MAX];
  const ssize_t n = ::readlinkat(link.get(), "", target, sizeof target);
  if (n <= 0) return std::nullopt;
  return std::string(target, static_cast<std::size_t>(n));
}

class Walk {
 public:
  Walk(int root, std::string path) : root_(root), rest_(std::move(path)) {}

  tl::expected<UniqueFd, int> open(int flags) {
    while (true) {
      const std::string name = next_name();
      if (name.empty()) return opened(::openat(here(), ".", flags));
      if (name == ".") continue;
      if (name == "..") {
        if (!way_.empty()) way_.pop_back();
        continue;
      }
      UniqueFd found(::openat(here(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (!found.valid()) return tl::unexpected(errno);
      const auto target = target_of(found);
      const bool last = rest_.find_first_not_of('/') == std::string::npos;
      if (target && !(last && (flags & O_NOFOLLOW) != 0)) {
        if (++links_ > kMostLinks) return tl::unexpected(ELOOP);
        follow(*target);
        continue;
      }
      if (last && (flags & O_PATH) != 0) return found;
      // What has become a link meanwhile is refused.
      if (last) return opened(::openat(here(), name.c_str(), flags | O_NOFOLLOW));
      way_.push_back(std::move(found));
    }
  }

 private:
  static tl::expected<UniqueFd, int> opened(int fd) {
    if (fd < 0) return tl::unexpected(errno);
    return UniqueFd(fd);
  }

  int here() const { return way_.empty() ? root_ : way_.back().get(); }

  // Taken from the rest; empty at the end.
  std::string next_name() {
    const std::size_t start = std::min(rest_.find_first_not_of('/'), rest_.size());
    const std::size_t end = std::min(rest_.find('/', start), rest_.size());
    std::string name = rest_.substr(start, end - start);
    rest_.erase(0, end);
    return name;
  }

  void follow(const std::string& target) {
    if (target.front() == '/') way_.clear();
    rest_.insert(0, target);
  }

  int root_;
  std::string rest_;
  std::vector<UniqueFd> way_;  // directories from the root to here
  int links_ = 0;
};

}  // namespace

tl::expected<UniqueFd, int> open_inside(int root, const std::string& path, int flags) {
  return Walk(root, path).open(flags);
}

}  // namespace fulcrum::powermode

#include "powermode/node_paths.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <filesystem>

namespace fulcrum::powermode {

std::vector<std::string> expand(const FileTree& tree, const std::string& pattern) {
  const auto star = pattern.find('*');
  if (star == std::string::npos)
    return tree.exists(pattern) ? std::vector<std::string>{pattern} : std::vector<std::string>{};
  const auto begin = pattern.rfind('/', star) + 1;
  const auto end = std::min(pattern.find('/', star), pattern.size());
  const auto directory = pattern.substr(0, begin - 1);
  const auto name_pattern = pattern.substr(begin, end - begin);
  std::vector<std::string> found;
  const auto rest = pattern.substr(end);
  const auto names = tree.list(directory);
  if (!names) return found;  // it is not there
  for (const auto& name : *names) {
    if (::fnmatch(name_pattern.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    const auto below = expand(tree, fmt::format("{}/{}{}", directory, name, rest));
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

std::string first_present(const FileTree& tree, const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    if (auto found = expand(tree, pattern); !found.empty()) return found.front();
  }
  return {};
}

std::string follow_link(const FileTree& tree, const std::string& path) {
  const auto target = tree.readlink(path);
  if (!target) return path;
  auto followed = (std::filesystem::path(path).parent_path() / *target).lexically_normal().string();
  if (followed.size() > 1 && followed.back() == '/') followed.pop_back();
  return followed;
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace fulcrum::powermode

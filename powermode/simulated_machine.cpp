#include "powermode/simulated_machine.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "powermode/simulated_nodes.h"
#include "powermode/simulated_power.h"

namespace fulcrum::powermode {

namespace {

constexpr int kMostLinks = 16;  // more of them in one path is a loop

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.compare(0, directory.size(), directory) == 0 &&
         path[directory.size()] == '/';
}

// Of an entry of one of the two tables: a path, and what is there.
template <class Entry>
bool is_present(const Entry& entry, const SimulatedState& state) {
  const auto& [path, what] = entry;
  return (!what.present || what.present(state)) && !is_absent(state.faults, path);
}

// What a table has at a path, if it is present.
template <class Entries>
auto present_at(const Entries& entries, const SimulatedState& state, const std::string& path) {
  const auto found = entries.find(path);
  return found == entries.end() || !is_present(*found, state) ? nullptr : &found->second;
}

// "" for "/", so that everything is below it.
std::string as_prefix(const std::string& path) {
  return path == "/" ? "" : path;
}

// Calls visit(path) for each present entry below a directory; stops when it returns false.
template <class Entries, class Visit>
void each_below(const Entries& entries, const SimulatedState& state, const std::string& directory,
                Visit visit) {
  for (auto it = entries.lower_bound(directory + "/"); it != entries.end() && is_below(it->first, directory);
       ++it) {
    if (is_present(*it, state) && !visit(it->first)) return;
  }
}

}  // namespace

Expected<std::unique_ptr<SimulatedMachine>> SimulatedMachine::of_board(const std::string& board_id) {
  FULCRUM_TRY_ASSIGN(hardware, SimulatedHardware::builtin(board_id));
  FULCRUM_TRY_ASSIGN(workloads, SimulatedWorkloads::builtin(board_id));
  return std::unique_ptr<SimulatedMachine>(new SimulatedMachine(std::move(hardware), std::move(workloads)));
}

SimulatedMachine::SimulatedMachine(SimulatedHardware hardware, SimulatedWorkloads workloads)
    : hardware_(std::move(hardware)), workloads_(std::move(workloads)) {
  SimulatedNodes(*this).add_all();
}

SystemResult<std::string> SimulatedMachine::resolve(const SimulatedState& state, const std::string& path,
                                                    bool follow_last) const {
  if (path.empty() || path.front() != '/') return tl::unexpected(ENOENT);
  // Component by component, starting anew below the target of each link.
  std::string rest = path;
  std::string done;
  int followed = 0;
  while (true) {
    const std::size_t start = rest.find_first_not_of('/');
    if (start == std::string::npos) return done.empty() ? "/" : done;
    const std::size_t end = std::min(rest.find('/', start), rest.size());
    const std::string name = rest.substr(start, end - start);
    rest.erase(0, end);
    if (name == "." || name == "..") return tl::unexpected(ENOENT);
    done.append("/").append(name);
    const bool last = rest.find_first_not_of('/') == std::string::npos;
    const Link* link = last && !follow_last ? nullptr : link_at(state, done);
    if (link == nullptr) continue;
    if (++followed > kMostLinks) return tl::unexpected(ELOOP);
    rest.insert(0, link->target);
    done.clear();
  }
}

const SimulatedNode* SimulatedMachine::node_at(const SimulatedState& state, const std::string& path) const {
  return present_at(nodes_, state, path);
}

const SimulatedMachine::Link* SimulatedMachine::link_at(const SimulatedState& state,
                                                        const std::string& path) const {
  return present_at(links_, state, path);
}

SystemResult<std::string> SimulatedMachine::read(const SimulatedState& state, const std::string& path,
                                                 std::int64_t now_ns) const {
  const SimulatedNode* node = node_at(state, path);
  if (node == nullptr) return tl::unexpected(exists(state, path) ? EISDIR : ENOENT);
  if (!node->read) return tl::unexpected(EACCES);
  return node->read(state, now_ns);
}

int SimulatedMachine::write(SimulatedState& state, const std::string& path, std::string_view text,
                            std::int64_t now_ns) const {
  const auto at = nodes_.find(path);
  const bool can_be = at != nodes_.end() && (at->second.made_by_writing || is_present(*at, state));
  if (!can_be) return exists(state, path) ? EISDIR : ENOENT;
  const SimulatedNode& node = at->second;
  if (!node.write) return EACCES;
  if (const int error = node.write(state, text, now_ns); error != 0) return error;
  note_clocks(hardware_, state, now_ns);
  forget_old(hardware_, state, now_ns);
  return 0;
}

SystemResult<std::vector<std::string>> SimulatedMachine::list(const SimulatedState& state,
                                                              const std::string& path) const {
  const std::string directory = as_prefix(path);
  std::set<std::string> names;
  const auto note = [&](const std::string& below) {
    const std::size_t start = directory.size() + 1;
    names.insert(below.substr(start, below.find('/', start) - start));
    return true;
  };
  each_below(nodes_, state, directory, note);
  each_below(links_, state, directory, note);
  if (names.empty()) return tl::unexpected(node_at(state, path) != nullptr ? ENOTDIR : ENOENT);
  return std::vector<std::string>(names.begin(), names.end());
}

bool SimulatedMachine::exists(const SimulatedState& state, const std::string& path) const {
  if (node_at(state, path) != nullptr) return true;
  bool found = false;
  const auto stop = [&found](const std::string&) {
    found = true;
    return false;
  };
  each_below(nodes_, state, as_prefix(path), stop);
  if (!found) each_below(links_, state, as_prefix(path), stop);
  return found;
}

SystemResult<SimulatedNodeInfo> SimulatedMachine::info(const SimulatedState& state,
                                                       const std::string& path) const {
  using Kind = SimulatedNodeInfo::Kind;
  if (const SimulatedNode* node = node_at(state, path); node != nullptr) {
    return SimulatedNodeInfo{Kind::file, node->read != nullptr, node->write != nullptr};
  }
  if (link_at(state, path) != nullptr) return SimulatedNodeInfo{Kind::link, true, true};
  if (path == "/" || exists(state, path)) return SimulatedNodeInfo{Kind::directory, true, false};
  return tl::unexpected(ENOENT);
}

SystemResult<std::string> SimulatedMachine::readlink(const SimulatedState& state,
                                                     const std::string& path) const {
  if (const Link* link = link_at(state, path); link != nullptr) {
    // Relative, as in sysfs, so that it leads to the same place wherever the tree is mounted.
    const std::filesystem::path target(link->target);
    return target.lexically_relative(std::filesystem::path(path).parent_path()).string();
  }
  return tl::unexpected(exists(state, path) ? EINVAL : ENOENT);
}

std::map<std::string, std::string> SimulatedMachine::texts(
    const SimulatedState& state, std::int64_t now_ns,
    const std::function<bool(const std::string&)>& wanted) const {
  std::map<std::string, std::string> texts;
  for (const auto& [path, node] : nodes_) {
    if (!wanted(path) || node_at(state, path) == nullptr || !node.read) continue;
    if (auto text = node.read(state, now_ns)) texts[path] = std::move(*text);
  }
  return texts;
}

}  // namespace fulcrum::powermode

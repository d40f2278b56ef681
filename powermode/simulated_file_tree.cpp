#include "powermode/simulated_file_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <type_traits>

#include "powermode/simulated_nvpmodel.h"
#include "powermode/simulated_power.h"

namespace fulcrum {

using powermode::SimulatedMachine;
using powermode::SimulatedState;
using powermode::SimulatedStateFile;

namespace {

using powermode::SystemResult;
using Kind = SimulatedFault::Kind;

constexpr std::chrono::milliseconds kBlockedPoll{10};

// The first fault of some kinds that fits the path; none where nothing is.
const SimulatedFault* fault_at(const SimulatedState& state, const std::string& path,
                               std::initializer_list<Kind> kinds) {
  if (is_absent(state.faults, path)) return nullptr;
  const auto found = std::find_if(state.faults.begin(), state.faults.end(), [&](const SimulatedFault& fault) {
    return std::find(kinds.begin(), kinds.end(), fault.kind) != kinds.end() && fault.matches(path);
  });
  return found == state.faults.end() ? nullptr : &*found;
}

// One occurrence less; the last one ends the fault.
void use_up(SimulatedState& state, const SimulatedFault* fault) {
  if (fault == nullptr || !fault->count) return;
  auto& entry = state.faults[static_cast<std::size_t>(fault - state.faults.data())];
  if (--*entry.count == 0) state.faults.erase(state.faults.begin() + (fault - state.faults.data()));
}

const SimulatedFault* read_fault(const SimulatedState& state, const std::string& path) {
  return fault_at(state, path, {Kind::read_error, Kind::frozen, Kind::block});
}

std::optional<SystemResult<std::string>> read_node(const SimulatedMachine& machine,
                                                   const SimulatedState& state, const std::string& path,
                                                   const SimulatedFault* fault, std::int64_t now_ns) {
  if (fault != nullptr && fault->kind == Kind::block) return std::nullopt;
  if (fault != nullptr && fault->kind == Kind::read_error) return tl::unexpected(fault->error_number());
  if (fault != nullptr) {
    if (const auto text = fault->frozen.find(path); text != fault->frozen.end()) return text->second;
  }
  return machine.read(state, path, now_ns);
}

int write_node(const SimulatedMachine& machine, SimulatedState& state, const std::string& path,
               std::string_view value, std::int64_t now_ns) {
  const SimulatedFault* fault = fault_at(state, path, {Kind::write_error, Kind::ignore_write});
  int error = 0;
  if (fault == nullptr) {
    error = machine.write(state, path, value, now_ns);
  } else if (fault->kind == Kind::write_error) {
    error = fault->error_number();
  }
  use_up(state, fault);
  return error;
}

// An answer with its errno in words.
template <class T>
Expected<T> in_words(SimulatedFileTree::Answer<T> answer, const char* doing, const std::string& path) {
  FULCRUM_TRY(answer);
  if (!*answer) return fail_errno(answer->error(), fmt::format("{} '{}'", doing, path));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(**answer);
  }
}

}  // namespace

Expected<void> SimulatedFileTree::create(const std::string& state_path, const std::string& board_id,
                                         const Clock& clock) {
  FULCRUM_TRY_ASSIGN(hardware, powermode::SimulatedHardware::builtin(board_id));
  SimulatedState state = SimulatedState::after_boot(hardware);
  powermode::note_clocks(hardware, state, to_ns(clock.now()));
  return SimulatedStateFile::create(state_path, state);
}

Expected<std::unique_ptr<SimulatedFileTree>> SimulatedFileTree::open(const std::string& state_path,
                                                                     const Clock& clock) {
  FULCRUM_TRY_ASSIGN(file, SimulatedStateFile::open(state_path));
  return std::unique_ptr<SimulatedFileTree>(new SimulatedFileTree(std::move(file), clock));
}

Expected<std::string> SimulatedFileTree::read(const std::string& path) const {
  return in_words(sys_read(path), "reading", path);
}

Expected<void> SimulatedFileTree::write(const std::string& path, std::string_view value) {
  return in_words(sys_write(path, value), "writing", path);
}

Expected<std::vector<std::string>> SimulatedFileTree::list(const std::string& path) const {
  return in_words(sys_list(path), "listing", path);
}

bool SimulatedFileTree::exists(const std::string& path) const {
  const auto there = ask<bool>(path, true, [this](const SimulatedState& state, const std::string& resolved) {
    return SystemResult<bool>(machine().exists(state, resolved));
  });
  return there && there->value_or(false);
}

Expected<std::string> SimulatedFileTree::readlink(const std::string& path) const {
  return in_words(sys_readlink(path), "reading link", path);
}

SimulatedFileTree::Answer<std::string> SimulatedFileTree::sys_read(const std::string& path,
                                                                   const GiveUp& give_up) const {
  while (true) {
    FULCRUM_TRY_ASSIGN(answer, read_unless_blocked(path));
    if (answer) return std::move(*answer);
    if (give_up && give_up()) return SystemResult<std::string>(tl::unexpected(EINTR));
    std::this_thread::sleep_for(kBlockedPoll);
  }
}

Expected<std::optional<SystemResult<std::string>>> SimulatedFileTree::read_unless_blocked(
    const std::string& path) const {
  const std::lock_guard lock(mutex_);
  FULCRUM_TRY_ASSIGN(state, file_->load());
  const auto resolved = machine().resolve(*state, path, true);
  if (!resolved) return resolved;
  const SimulatedFault* fault = read_fault(*state, *resolved);
  if (fault == nullptr || !fault->count) return read_node(machine(), *state, *resolved, fault, now_ns());
  // A fault that happens a limited number of times makes reading a change.
  std::optional<SystemResult<std::string>> answer;
  FULCRUM_TRY(file_->update([&](SimulatedState& changed) -> Expected<void> {
    fault = read_fault(changed, *resolved);
    answer = read_node(machine(), changed, *resolved, fault, now_ns());
    use_up(changed, fault);
    return {};
  }));
  return answer;
}

SimulatedFileTree::Answer<void> SimulatedFileTree::sys_write(const std::string& path,
                                                             std::string_view value) {
  const std::lock_guard lock(mutex_);
  // What the writer is told; the state changes even when that is an error, if a fault is used up.
  int error = 0;
  FULCRUM_TRY(file_->update([&](SimulatedState& state) -> Expected<void> {
    const auto resolved = machine().resolve(state, path, true);
    error = resolved ? write_node(machine(), state, *resolved, value, now_ns()) : resolved.error();
    return {};
  }));
  return error == 0 ? SystemResult<void>() : SystemResult<void>(tl::unexpected(error));
}

template <class T, class Ask>
SimulatedFileTree::Answer<T> SimulatedFileTree::ask(const std::string& path, bool follow_last,
                                                    Ask ask) const {
  const std::lock_guard lock(mutex_);
  FULCRUM_TRY_ASSIGN(state, file_->load());
  const auto resolved = machine().resolve(*state, path, follow_last);
  if (!resolved) return SystemResult<T>(tl::unexpected(resolved.error()));
  return ask(*state, *resolved);
}

SimulatedFileTree::Answer<std::vector<std::string>> SimulatedFileTree::sys_list(
    const std::string& path) const {
  return ask<std::vector<std::string>>(path, true,
                                       [this](const SimulatedState& state, const std::string& resolved) {
                                         return machine().list(state, resolved);
                                       });
}

SimulatedFileTree::Answer<std::string> SimulatedFileTree::sys_readlink(const std::string& path) const {
  return ask<std::string>(path, false, [this](const SimulatedState& state, const std::string& resolved) {
    return machine().readlink(state, resolved);
  });
}

SimulatedFileTree::Answer<SimulatedFileTree::NodeInfo> SimulatedFileTree::sys_lstat(
    const std::string& path) const {
  return ask<NodeInfo>(path, false, [this](const SimulatedState& state, const std::string& resolved) {
    return machine().info(state, resolved);
  });
}

const std::string& SimulatedFileTree::board_name() const {
  return machine().hardware().board;
}

Expected<void> SimulatedFileTree::report_load(const std::vector<SimulatedLoadEdge>& edges) {
  return write(kSimulatedLoadNode, format_load_edges(edges));
}

Expected<void> SimulatedFileTree::add_fault(SimulatedFault fault) {
  fault.frozen.clear();
  FULCRUM_TRY(fault.check());
  const std::lock_guard lock(mutex_);
  return file_->update([&](SimulatedState& state) -> Expected<void> {
    // Through links to where the node is; a pattern stays as it is. Of a path that is absent nothing is
    // followed but the way to it: what is gone may be a link.
    const auto resolved = machine().resolve(state, fault.pattern, fault.kind != Kind::absent);
    if (resolved && machine().info(state, *resolved)) fault.pattern = *resolved;
    if (fault.kind == Kind::frozen) {
      fault.frozen =
          machine().texts(state, now_ns(), [&](const std::string& path) { return fault.matches(path); });
    }
    state.faults.push_back(fault);
    return {};
  });
}

Expected<std::vector<SimulatedFault>> SimulatedFileTree::faults() const {
  FULCRUM_TRY_ASSIGN(current, state());
  return std::move(current.faults);
}

Expected<void> SimulatedFileTree::clear_faults() {
  const std::lock_guard lock(mutex_);
  return file_->update([](SimulatedState& state) -> Expected<void> {
    state.faults.clear();
    return {};
  });
}

Expected<void> SimulatedFileTree::reboot() {
  const std::lock_guard lock(mutex_);
  return file_->update([this](SimulatedState& state) -> Expected<void> {
    SimulatedState fresh = SimulatedState::after_boot(machine().hardware(), state.nvpmodel_id);
    if (auto behaviour = state.values.extract(kSimulatedNvpmodel)) fresh.values.insert(std::move(behaviour));
    fresh.boots = state.boots + 1;
    fresh.faults = std::move(state.faults);
    powermode::note_clocks(machine().hardware(), fresh, now_ns());
    state = std::move(fresh);
    return {};
  });
}

Expected<SimulatedState> SimulatedFileTree::state() const {
  const std::lock_guard lock(mutex_);
  FULCRUM_TRY_ASSIGN(current, file_->load());
  return *current;
}

}  // namespace fulcrum

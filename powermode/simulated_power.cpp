#include "powermode/simulated_power.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "powermode/simulated_knobs.h"

namespace fulcrum::powermode {

namespace {

constexpr std::int64_t kClockResolutionNs = 1'000'000;

// The last entry at or before a time; end() when all are later.
template <class Entries>
auto entry_at(const Entries& entries, std::int64_t at_ns) {
  const auto later = std::upper_bound(entries.begin(), entries.end(), at_ns,
                                      [](std::int64_t at, const auto& entry) { return at < entry.at_ns; });
  return later == entries.begin() ? entries.end() : std::prev(later);
}

// Keeps what begins after `oldest_ns`, and the entry that holds at that time.
template <class Entries>
void forget_before(Entries& entries, std::int64_t oldest_ns) {
  const auto first = entry_at(entries, oldest_ns);
  if (first != entries.end()) entries.erase(entries.begin(), first);
}

// CLOCK_MONOTONIC begins anew when the host reboots, while the state file stays.
template <class Entries>
void into_the_past(Entries& entries, std::int64_t now_ns) {
  for (auto& entry : entries)
    entry.at_ns = std::min(entry.at_ns, now_ns);
}

Expected<double> power_at(const SimulatedState& state, const SimulatedWorkloads& workloads,
                          std::int64_t at_ns) {
  auto clocks = entry_at(state.clocks, at_ns);
  if (clocks == state.clocks.end()) clocks = state.clocks.begin();
  const auto load = entry_at(state.load, at_ns);
  if (load == state.load.end() || !load->busy) return workloads.idle_power_w(clocks->idle);
  return workloads.busy_power_w(load->workload_class, load->task, load->batch_size, clocks->busy);
}

}  // namespace

int store_load(SimulatedState& state, std::string_view text, const SimulatedWorkloads& workloads,
               std::int64_t now_ns) {
  auto edges = parse_load_edges(text);
  if (!edges) return EINVAL;
  for (const auto& edge : *edges) {
    const auto& mode = state.clocks.back().busy;
    if (edge.busy && !workloads.busy_power_w(edge.workload_class, edge.task, edge.batch_size, mode))
      return EINVAL;
  }
  into_the_past(state.load, now_ns);
  std::int64_t earliest = now_ns - kLatestLoadEdgeNs;
  if (!state.load.empty()) earliest = std::max(earliest, state.load.back().at_ns);
  for (auto& edge : *edges) {
    edge.at_ns = std::clamp(edge.at_ns, earliest, now_ns);
    earliest = edge.at_ns;
    state.load.push_back(std::move(edge));
  }
  return 0;
}

bool busy_at(const SimulatedState& state, std::int64_t at_ns) {
  const auto load = entry_at(state.load, at_ns);
  return load != state.load.end() && load->busy;
}

double busy_share(const SimulatedHardware& hardware, const SimulatedState& state, std::int64_t now_ns) {
  const std::int64_t window_ns = std::chrono::nanoseconds(hardware.sensor_window).count();
  const std::int64_t begin_ns = now_ns - window_ns;
  std::int64_t busy_ns = 0;
  for (std::size_t i = 0; i < state.load.size(); ++i) {
    if (!state.load[i].busy) continue;
    const std::int64_t end_ns = i + 1 < state.load.size() ? state.load[i + 1].at_ns : now_ns;
    busy_ns += std::max<std::int64_t>(0, std::min(end_ns, now_ns) - std::max(state.load[i].at_ns, begin_ns));
  }
  return static_cast<double>(busy_ns) / static_cast<double>(window_ns);
}

void note_clocks(const SimulatedHardware& hardware, SimulatedState& state, std::int64_t now_ns) {
  into_the_past(state.clocks, now_ns);
  SimulatedState::Clocks now{now_ns, running_at(hardware, state, true), running_at(hardware, state, false)};
  if (!state.clocks.empty()) {
    auto& last = state.clocks.back();
    if (last.busy == now.busy && last.idle == now.idle) return;
    // A mode is many knobs in a moment; what the board was in between no sensor can tell.
    if (now_ns - last.at_ns < kClockResolutionNs) now.at_ns = last.at_ns;
    if (now.at_ns == last.at_ns) state.clocks.pop_back();
  }
  state.clocks.push_back(now);
}

void forget_old(const SimulatedHardware& hardware, SimulatedState& state, std::int64_t now_ns) {
  const std::int64_t seen_ns = std::chrono::nanoseconds(hardware.sensor_age + hardware.sensor_window).count();
  forget_before(state.clocks, now_ns - seen_ns);
  forget_before(state.load, now_ns - seen_ns);
}

Expected<double> mean_power_w(const SimulatedHardware& hardware, const SimulatedState& state,
                              const SimulatedWorkloads& workloads, std::int64_t now_ns) {
  const std::int64_t window_ns = std::chrono::nanoseconds(hardware.sensor_window).count();
  const std::int64_t end_ns = now_ns - std::chrono::nanoseconds(hardware.sensor_age).count();
  const std::int64_t begin_ns = end_ns - window_ns;
  std::vector<std::int64_t> changes{begin_ns, end_ns};
  const auto note = [&](std::int64_t at_ns) {
    if (at_ns > begin_ns && at_ns < end_ns) changes.push_back(at_ns);
  };
  for (const auto& edge : state.load)
    note(edge.at_ns);
  for (const auto& clocks : state.clocks)
    note(clocks.at_ns);
  std::sort(changes.begin(), changes.end());
  double energy = 0;  // W ns
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    if (changes[i] == changes[i + 1]) continue;
    FULCRUM_TRY_ASSIGN(power_w, power_at(state, workloads, changes[i]));
    energy += power_w * static_cast<double>(changes[i + 1] - changes[i]);
  }
  return energy / static_cast<double>(window_ns);
}

}  // namespace fulcrum::powermode

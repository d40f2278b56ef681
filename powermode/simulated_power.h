#pragma once
// What a simulated board has been doing of late, and what its power sensors make of it.

#include <cstdint>
#include <string_view>

#include "common/error.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_state.h"
#include "powermode/simulated_workloads.h"

namespace fulcrum::powermode {

// Load edges may be told this much after they happened.
inline constexpr std::int64_t kLatestLoadEdgeNs = 1'000'000'000;

// Takes edges as written to the load node. Times that are out of order, in the future or too late are moved
// to the nearest that is not. EINVAL, and nothing is taken, for a text that is no list of edges, or an
// unknown workload.
int store_load(SimulatedState& state, std::string_view text, const SimulatedWorkloads& workloads,
               std::int64_t now_ns);

bool busy_at(const SimulatedState& state, std::int64_t at_ns);

// The part of the sensors' window up to now in which the device was busy, from 0 to 1.
double busy_share(const SimulatedHardware& hardware, const SimulatedState& state, std::int64_t now_ns);

// After a change of knobs: notes the clocks from now on.
void note_clocks(const SimulatedHardware& hardware, SimulatedState& state, std::int64_t now_ns);

// Drops what no sensor will look at any more.
void forget_old(const SimulatedHardware& hardware, SimulatedState& state, std::int64_t now_ns);

// The board's power as its sensors show it at now_ns: averaged over their window, and as old as they are, so
// that load which is told soon enough after it happened is in it.
[[nodiscard]] Expected<double> mean_power_w(const SimulatedHardware& hardware, const SimulatedState& state,
                                            const SimulatedWorkloads& workloads, std::int64_t now_ns);

}  // namespace fulcrum::powermode

#pragma once
// What the kernel and the firmware of a simulated board make of values written to its knobs.
// Functions named store_* take the text of a write(2) and return 0 or an errno; the others tell what a knob
// then says.

#include <cstdint>
#include <string_view>
#include <vector>

#include "powermode/simulated_hardware.h"
#include "powermode/simulated_state.h"

namespace fulcrum::powermode {

// CPUs. cpu0 does not go offline (EPERM).
int store_online(SimulatedState& state, int cpu, std::string_view text);
bool cluster_online(const SimulatedHardware& hardware, const SimulatedState& state, std::size_t cluster);

// Frequency limits. Kernel 4.9 keeps them as written and refuses a minimum above the maximum (EINVAL). Since
// 5.10 a minimum above the maximum is taken as the maximum, and cpufreq rounds a maximum down to a level, a
// minimum up, devfreq both up. To devfreq a maximum of 0 means none.
struct Limits {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
int store_cpu_min_khz(const SimulatedHardware& hardware, SimulatedState::Range& request,
                      std::string_view text);
int store_cpu_max_khz(const SimulatedHardware& hardware, SimulatedState::Range& request,
                      std::string_view text);
Limits cpu_limits(const SimulatedHardware& hardware, const SimulatedState::Range& request);
int store_gpu_min_hz(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text);
int store_gpu_max_hz(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text);
Limits gpu_limits(const SimulatedHardware& hardware, const SimulatedState::Range& request);

int store_governor(std::string& governor, std::string_view text, const std::vector<std::string>& known);
const std::vector<std::string>& cpu_governors();
const std::vector<std::string>& gpu_governors();

// Power gating cannot change once the GPU has been used, which after boot it has: EBUSY.
int store_gpu_mask(SimulatedState& state, const std::string& name, std::string_view text);

// The memory clock. The cap of JetPack 4 and 5 takes any unsigned long, 0 for none; that of JetPack 6 is
// rounded down to a level, 0 to the lowest. A rate is taken while locked, if the firmware lists it, and
// ignored otherwise.
int store_emc_cap(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text);
std::uint64_t emc_cap(const SimulatedHardware& hardware, const SimulatedState& state);
int store_emc_locked(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text,
                     bool busy);
int store_emc_enabled(SimulatedState& state, std::string_view text);
int store_emc_rate(const SimulatedHardware& hardware, SimulatedState& state, std::string_view text);
std::int64_t emc_rate(const SimulatedHardware& hardware, const SimulatedState& state, bool busy);

// The clocks that the board runs at: between the limits as high as they go while busy, as low while idle. The
// CPU's is the mean over the CPUs online.
PowerMode running_at(const SimulatedHardware& hardware, const SimulatedState& state, bool busy);
std::int64_t cpu_khz_now(const SimulatedHardware& hardware, const SimulatedState::Range& request, bool busy);

}  // namespace fulcrum::powermode

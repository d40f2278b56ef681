#pragma once
// nvpmodel on a simulated board: its catalogue, in NVIDIA's grammar and with the oddities of real files, and
// what it keeps. The program itself is in simulated_nvpmodel_program.h.

#include <string>
#include <string_view>

#include "powermode/simulated_hardware.h"
#include "powermode/simulated_state.h"

namespace fulcrum {

// A pseudo node that takes how the program behaves from then on, over boots as well:
//   works           the default
//   chroot          as in a container: it says that it ignores the request, and succeeds
//   silent          it says nothing, changes no clock, and succeeds
//   hangs           it never ends
//   pending_reboot  it wants a reboot whatever mode it is to set, until it has been told to
// In the second and the third case it keeps what it was told to set, as if it had.
inline constexpr const char* kSimulatedNvpmodel = "/simulated/nvpmodel";

// Where the program is. A mounted board has it there, executable; see simulated_mount.h.
inline constexpr const char* kSimulatedNvpmodelProgram = "/usr/sbin/nvpmodel";

namespace powermode {

std::string nvpmodel_conf_of(const SimulatedHardware& hardware);

// Takes what is written to nvpmodel's status file: 0, or EINVAL for what names no mode.
int store_nvpmodel_status(SimulatedState& state, std::string_view text);

}  // namespace powermode

}  // namespace fulcrum

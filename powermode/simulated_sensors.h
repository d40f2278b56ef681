#pragma once
// What the hardware of a simulated board does by itself, told by writing to pseudo nodes; the board's own
// nodes follow until the next boot.
//   kSimulatedOverCurrent/ocK      takes a number of over-current events, which are added to ocK_event_cnt
//   kSimulatedCpuThrottle          takes by how much the hardware lowers the CPU's clock, in percent
//   kSimulatedForeignGpuLoad       takes how much other programs use the GPU, in thousandths of the time
//   kSimulatedTemperature/<type>   takes what the thermal zone then says, in millidegrees, or "off": EAGAIN

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fulcrum {

inline constexpr const char* kSimulatedOverCurrent = "/simulated/over_current";
inline constexpr const char* kSimulatedCpuThrottle = "/simulated/cpu_throttle";
inline constexpr const char* kSimulatedForeignGpuLoad = "/simulated/foreign_gpu_load";
inline constexpr const char* kSimulatedTemperature = "/simulated/temperature";

namespace powermode {

// These take the text of a write(2) and return 0 or an errno.
int store_over_current(std::int64_t& events, std::string_view text);
int store_temperature(std::optional<std::int64_t>& millidegrees, std::string_view text);

// "off", or millidegrees.
std::string format_temperature(std::optional<std::int64_t> millidegrees);

}  // namespace powermode

}  // namespace fulcrum

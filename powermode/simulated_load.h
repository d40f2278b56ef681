#pragma once
// When the device of a simulated board was busy, and with what: told by whoever runs the steps, by writing to
// the pseudo node kSimulatedLoadNode; power follows. Text, an edge a line, in order of time:
//   <CLOCK_MONOTONIC ns> busy <class> <training|inference> <batch size>
//   <CLOCK_MONOTONIC ns> idle

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "powermode/simulated_workloads.h"

namespace fulcrum {

inline constexpr const char* kSimulatedLoadNode = "/simulated/load";

// The load from at_ns on, until the next edge.
struct SimulatedLoadEdge {
  std::int64_t at_ns = 0;
  bool busy = false;
  std::string workload_class;  // this and the next two only when busy
  WorkloadTask task = WorkloadTask::training;
  int batch_size = 0;
};

std::string format_load_edges(const std::vector<SimulatedLoadEdge>& edges);
[[nodiscard]] Expected<std::vector<SimulatedLoadEdge>> parse_load_edges(std::string_view text);

}  // namespace fulcrum

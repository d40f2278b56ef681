#pragma once
// Tables of measured minibatch times and powers, recorded on a real board: CSV with the header
// cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w, in <workload>-train.csv and
// <workload>-infer.csv.

#include <string>

#include "common/error.h"
#include "scheduler/mode_grid.h"
#include "scheduler/profile.h"

namespace fulcrum::benchmarks {

// Adds the rows of a table that lie on the grid; a row's time is both p50 and p99.
[[nodiscard]] Expected<void> read_table(const std::string& path, WorkloadTask task,
                                        const scheduler::ModeGrid& grid, scheduler::ProfileSet& into);

// The 441 modes of a Jetson AGX Orin that searches are evaluated on.
[[nodiscard]] Expected<scheduler::ModeGrid> orin_evaluation_grid();

}  // namespace fulcrum::benchmarks

#pragma once
// Tables as files: CSV with the header cpu_cores,cpu_khz,gpu_hz,emc_hz,batch_size,time_ms,power_w, named
// <workload>-train.csv and <workload>-infer.csv.

#include <string>
#include <string_view>
#include <vector>

#include "eval/table.h"

namespace fulcrum::eval {

// The cells of a line of CSV without quotes; a carriage return at its end is left out.
std::vector<std::string_view> split_csv(std::string_view line);

// The name of a workload's file in a folder of tables.
std::string table_file_name(const std::string& workload, WorkloadTask task);

// A row's time is both p50 and p99. The message of a malformed row begins with file:line.
[[nodiscard]] Expected<Table> read_table(const std::string& path, const std::string& workload,
                                         WorkloadTask task);

}  // namespace fulcrum::eval

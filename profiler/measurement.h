#pragma once
// What one probe found: how long the steps of a workload take in one mode of a board, and what the board
// draws meanwhile.

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "common/workload_task.h"
#include "powermode/power_mode.h"
#include "profiler/time_statistics.h"

namespace fulcrum::profiler {

// What was measured. Measurements with equal keys are of the same thing and may be pooled.
struct MeasurementKey {
  std::string board_id;     // Board::id(): boards of one kind share it
  std::string fingerprint;  // of the workload; see fingerprint.h
  WorkloadTask task = WorkloadTask::training;
  PowerMode mode;
  int batch_size = 1;

  auto as_tuple() const { return std::tie(board_id, fingerprint, task, mode, batch_size); }
  friend bool operator==(const MeasurementKey& a, const MeasurementKey& b) {
    return a.as_tuple() == b.as_tuple();
  }
  friend bool operator!=(const MeasurementKey& a, const MeasurementKey& b) { return !(a == b); }
  friend bool operator<(const MeasurementKey& a, const MeasurementKey& b) {
    return a.as_tuple() < b.as_tuple();
  }

  // {"board", "workload", "task", "mode", "batch_size"}
  Json to_json() const;
};

struct Measurement {
  MeasurementKey key;
  int minibatches = 0;  // steps that were measured; warm-up is not among them
  TimeStatistics time;  // of those steps
  double power_w = 0;   // mean over exactly the time in which they ran
  std::optional<double> temperature_c;
  std::optional<double> foreign_gpu_load;  // the part of the time in which others used the GPU, if they did
  std::int64_t measured_at_ms = 0;         // when the last step ended, milliseconds since 1970
  double cost_s = 0;                       // what the probe took, from the change of mode to the last check

  // The key's fields and {"minibatches", "time_ms": {"p50", "p99", "mean", "stddev"}, "power_w",
  // "temperature_c"?, "foreign_gpu_load"?, "measured_at_ms", "cost_s"}
  Json to_json() const;

  // What to_json wrote, and nothing else: unknown and missing fields, wrong types and values that no board
  // can have are faults, all of them told.
  [[nodiscard]] static tl::expected<Measurement, std::vector<Error>> from_json(const Json& json);
  // The same for a measurement at `pointer` in something larger. Nothing if there is a fault.
  static std::optional<Measurement> read(const Json& json, const std::string& pointer,
                                         std::vector<Error>& faults);
};

Json to_json(const TimeStatistics& time);

}  // namespace fulcrum::profiler

#pragma once
// Takes one measurement: feeds a probe with what the worker and the sensors tell, and does what it asks.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "powermode/board.h"
#include "profiler/probe.h"
#include "worker/protocol.h"

namespace fulcrum::daemon {

class ProbeRun {
 public:
  struct Order {
    JobId job = 0;
    profiler::MeasurementKey key;
    profiler::ProbeSettings settings;
    double idle_w = 0;  // of the board at the least
    // What the board draws in this mode while a batch of another job runs; none: unknown, counts as if the
    // device were idle, which errs on the high side.
    std::function<std::optional<double>(JobId job, int batch_size)> foreign_power_w;
  };

  // The board is in the probe's mode, and the worker has been told to run the steps. All outlive the run.
  ProbeRun(Order order, const Board& board, const Clock& clock);

  JobId job() const { return order_.job; }
  const profiler::MeasurementKey& key() const { return order_.key; }

  void slices(const std::vector<worker::DeviceSlice>& slices);
  void power(const Expected<PowerSample>& sample);

  // Whatever is due now; to be called after each of the above and from time to time.
  void advance();

  // Once it has ended.
  const std::optional<profiler::Probe::Result>& result() const { return result_; }

 private:
  void read_board();
  void give_up_if_starved();
  void conclude();

  Order order_;
  const Board& board_;
  const Clock& clock_;
  profiler::Probe probe_;
  TimePoint started_;
  TimePoint last_step_;
  std::vector<worker::DeviceSlice> slices_;
  std::optional<profiler::Probe::Result> result_;
};

}  // namespace fulcrum::daemon

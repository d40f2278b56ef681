#pragma once
// What the daemon makes of the progress that the worker tells of a job.

#include <cstdint>
#include <optional>

#include "common/json_text.h"

namespace fulcrum::daemon {

// The device's time that a job has had, over all its workers, probes included; in its progress as "device_s"
// and "energy_j".
struct DeviceUse {
  double time_s = 0;
  double energy_j = 0;  // what the board drew in that time

  static DeviceUse in(const Json& progress);  // none where it says nothing
  void add(double seconds, double power_w);
  void write_to(Json& progress) const;
};

// The most memory that the job has taken, in bytes; 0 where it says nothing.
std::int64_t memory_in(const Json& progress);

// What an "epoch" event tells, when a training job has completed one since `before`: {epoch, train_loss}, and
// {loss, accuracy} of the validation after it, if there was one.
std::optional<Json> epoch_since(const Json& before, const Json& now);

}  // namespace fulcrum::daemon

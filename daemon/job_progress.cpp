#include "daemon/job_progress.h"

#include <cstdint>

namespace fulcrum::daemon {

namespace {

double number_in(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name) || !json.at(name).is_number()) return 0;
  return json.at(name).get<double>();
}

// Epochs that nothing is still to be done for.
double completed_epochs(const Json& progress) {
  const bool validating =
      progress.is_object() && progress.contains("validating") && progress.at("validating") == Json(true);
  return number_in(progress, "epoch") - (validating ? 1 : 0);
}

}  // namespace

DeviceUse DeviceUse::in(const Json& progress) {
  return {number_in(progress, "device_s"), number_in(progress, "energy_j")};
}

void DeviceUse::add(double seconds, double power_w) {
  time_s += seconds;
  energy_j += seconds * power_w;
}

void DeviceUse::write_to(Json& progress) const {
  progress["device_s"] = time_s;
  progress["energy_j"] = energy_j;
}

std::int64_t memory_in(const Json& progress) {
  return static_cast<std::int64_t>(number_in(progress, "memory_bytes"));
}

std::optional<Json> epoch_since(const Json& before, const Json& now) {
  const double completed = completed_epochs(now);
  if (completed <= completed_epochs(before)) return std::nullopt;
  Json epoch{{"epoch", static_cast<std::int64_t>(completed)}};
  if (now.contains("train_loss")) epoch["train_loss"] = now.at("train_loss");
  if (now.contains("validations") && !now.at("validations").empty()) {
    const Json& last = now.at("validations").back();
    if (number_in(last, "epoch") == completed) {
      epoch["loss"] = last.at("loss");
      epoch["accuracy"] = last.at("accuracy");
    }
  }
  return epoch;
}

}  // namespace fulcrum::daemon

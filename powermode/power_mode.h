#pragma once
// A power mode: the four knobs that Fulcrum turns on a Jetson.

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"

namespace fulcrum {

struct PowerMode {
  int cpu_cores = 0;         // CPUs online, cpu0 among them
  std::int64_t cpu_khz = 0;  // cap of every online cluster
  std::int64_t gpu_hz = 0;   // cap of the GPU
  std::int64_t emc_hz = 0;   // cap of the memory clock

  std::tuple<int, std::int64_t, std::int64_t, std::int64_t> key() const {
    return {cpu_cores, cpu_khz, gpu_hz, emc_hz};
  }
  friend bool operator==(const PowerMode& a, const PowerMode& b) { return a.key() == b.key(); }
  friend bool operator!=(const PowerMode& a, const PowerMode& b) { return !(a == b); }
  friend bool operator<(const PowerMode& a, const PowerMode& b) { return a.key() < b.key(); }

  // "8 cores, CPU 1728 MHz, GPU 612 MHz, EMC 3199 MHz"
  std::string to_string() const;
  Json to_json() const;  // {"cpu_cores", "cpu_khz", "gpu_hz", "emc_hz"}
  [[nodiscard]] static Expected<PowerMode> from_json(const Json& json);
  // The same for a mode inside something larger, at `pointer` in it: nothing if there is a fault, and
  // `faults` has all of them.
  static std::optional<PowerMode> read(const Json& json, const std::string& pointer,
                                       std::vector<Error>& faults);
};

}  // namespace fulcrum

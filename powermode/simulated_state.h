#pragma once
// All that a simulated board remembers. It lives in a file, as one JSON object, and nowhere else.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json_text.h"
#include "powermode/power_mode.h"
#include "powermode/simulated_fault.h"
#include "powermode/simulated_load.h"

namespace fulcrum::powermode {

struct SimulatedHardware;

inline constexpr std::size_t kOverCurrentAlarms = 3;  // oc1 to oc3

struct SimulatedState {
  // What was asked for; what the kernel makes of it is in simulated_knobs.h.
  struct Range {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::string governor;
  };
  struct Emc {
    std::uint64_t cap = 0;  // Hz, 0 = none
    bool locked = false;
    bool enabled = true;
    std::int64_t rate = 0;  // Hz, while locked
  };
  // The clocks from at_ns on, while the device is busy and while it is idle.
  struct Clocks {
    std::int64_t at_ns = 0;
    PowerMode busy;
    PowerMode idle;
  };

  std::string board;
  std::string boot_id;
  int boots = 1;
  std::vector<bool> cpu_online;
  std::vector<Range> clusters;  // CPU limits, kHz
  Range gpu;                    // Hz
  Emc emc;
  std::map<std::string, std::int64_t> gpu_masks;  // power gating that holds, by node
  // Of nodes that merely keep what is written to them, by path.
  std::map<std::string, std::string> values;
  std::optional<int> nvpmodel_id;       // what nvpmodel was last told to set; after a reboot it is what holds
  std::vector<SimulatedLoadEdge> load;  // these two as far back as the sensors look
  std::vector<Clocks> clocks;
  std::vector<std::optional<std::int64_t>> temperatures;  // millidegrees by thermal zone; none: EAGAIN
  std::array<std::int64_t, kOverCurrentAlarms> over_current_events{};  // since boot
  std::vector<SimulatedFault> faults;

  // As the kernel and nvpmodel leave a board that booted into a mode of nvpmodel's; none: into its highest.
  static SimulatedState after_boot(const SimulatedHardware& hardware, std::optional<int> nvpmodel_id = {});

  std::int64_t number(const std::string& path, std::int64_t otherwise) const;  // of `values`

  Json to_json() const;
  [[nodiscard]] static Expected<SimulatedState> from_json(const Json& json,
                                                          const SimulatedHardware& hardware);
};

// A random UUID, as the kernel makes one at each boot.
std::string make_boot_id();

}  // namespace fulcrum::powermode

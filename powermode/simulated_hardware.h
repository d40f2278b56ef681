#pragma once
// What a simulated board consists of, as data: config/boards/<board>-simulated.yaml.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace fulcrum::powermode {

struct SimulatedHardware {
  struct Kernel {
    int major = 0;
    int minor = 0;
    std::string release;  // such as 5.10.104-tegra

    // Before frequency limits went through the QoS framework: a minimum above the maximum is EINVAL, and
    // values are kept as they were written.
    bool strict_limits() const { return major < 5; }
    bool nvpmodel_uses_next_paths() const { return major > 5 || (major == 5 && minor >= 10); }
  };
  struct Cpu {
    std::vector<std::vector<int>> clusters;
    std::vector<std::int64_t> levels_khz;
  };
  struct Gpu {
    std::string device;                         // directory
    std::string name;                           // of its clock in devfreq
    std::string of_name;                        // its name in the device tree; empty: none
    std::vector<std::string> aliases;           // links to the device
    bool devfreq_link = false;                  // <device>/devfreq_dev
    bool load = true;                           // has the node that tells it
    bool rail_gate = false;                     // likewise
    std::map<std::string, std::int64_t> masks;  // power gating after boot, by node
    std::vector<std::int64_t> levels_hz;
  };
  enum class EmcStyle {
    iso_cap,   // JetPack 4 and 5
    clk_cap,   // JetPack 6
    override,  // the Nano
    devfreq,   // Thor: to be read only
  };
  struct Emc {
    EmcStyle style = EmcStyle::iso_cap;
    std::vector<std::int64_t> levels_hz;
  };
  struct Channel {
    std::string label;
    std::int64_t millivolts = 0;
    double share = 0;  // of the board's power
  };
  enum class ChipDriver { ina3221, ina3221x, ina238 };  // in hwmon, in iio, in hwmon
  struct Chip {
    ChipDriver driver = ChipDriver::ina3221;
    std::string address;  // such as 1-0040
    std::optional<std::int64_t> update_interval_ms;
    std::vector<Channel> channels;
  };
  struct ThermalZone {
    std::string type;
    std::optional<std::int64_t> millidegrees;  // after boot; none: EAGAIN
  };
  // A mode of nvpmodel's catalogue.
  struct NvpmodelMode {
    int id = 0;
    std::string name;
    std::optional<int> cpus;  // online, in the order of the clusters; none: all
    std::optional<std::int64_t> cpu_khz, gpu_hz, emc_hz;
    std::map<std::string, std::int64_t> masks;
  };
  struct Nvpmodel {
    std::vector<std::string> cpu_params;  // how the CPUs are called, by cluster; the last for the rest
    bool per_core = false;                // a param for each core, else for each cluster
    bool lists_core_0 = true;
    bool hwmon_param = false;  // has a param of two values
    int default_id = 0;
    std::vector<NvpmodelMode> modes;
  };
  // The workloads measured on another board, with the time that their parts take and the power as multiples.
  struct Workloads {
    std::string of;
    double cpu = 1;
    double gpu = 1;
    double memory = 1;
    double power = 1;
  };

  std::string board;
  std::string model;
  std::vector<std::string> compatible;
  Kernel kernel;
  std::string release;  // the beginning of /etc/nv_tegra_release
  Cpu cpu;
  Gpu gpu;
  Emc emc;
  Duration sensor_window{};  // a reading is the mean of so much time,
  Duration sensor_age{};     // which ended so long ago
  std::vector<Chip> chips;
  std::vector<ThermalZone> thermal_zones;
  bool over_current = false;  // counts events
  std::optional<Nvpmodel> nvpmodel;
  Workloads workloads;

  int cpu_count() const;

  [[nodiscard]] static Expected<SimulatedHardware> parse(std::string_view yaml, const std::string& source);
  [[nodiscard]] static Expected<SimulatedHardware> builtin(const std::string& board);
};

// The boards that are simulated.
std::vector<std::string> simulated_board_names();

}  // namespace fulcrum::powermode

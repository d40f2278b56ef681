#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "powermode/simulated_knobs.h"
#include "powermode/simulated_node_kinds.h"
#include "powermode/simulated_nodes.h"
#include "powermode/simulated_power.h"
#include "powermode/simulated_sensors.h"

namespace fulcrum::powermode {

using Style = SimulatedHardware::EmcStyle;

void SimulatedNodes::add_gpu() {
  const auto& gpu = hardware_.gpu;
  const std::string devfreq = gpu.device + "/devfreq/" + gpu.name;
  if (gpu.devfreq_link) link(gpu.device + "/devfreq_dev", devfreq);
  link("/sys/class/devfreq/" + gpu.name, devfreq);
  link(devfreq + "/device", gpu.device);
  for (const auto& alias : gpu.aliases)
    link(alias, gpu.device);
  if (!gpu.of_name.empty()) add_text(gpu.device + "/of_node/name", gpu.of_name + '\0');
  add_gpu_clock(devfreq);
  for (const auto& [name, mask] : gpu.masks) {
    add(gpu.device + "/" + name,
        knob([name = name](const SimulatedState& state) { return state.gpu_masks.at(name); },
             [name = name](SimulatedState& state, std::string_view text) {
               return store_gpu_mask(state, name, text);
             }));
  }
  const auto add_switch = [&](const char* name, const char* after_boot, std::vector<std::string> known) {
    const auto path = gpu.device + "/" + name;
    add(path, switch_node(path, after_boot, std::move(known)));
  };
  add_switch("power/control", "auto", {"auto", "on"});
  if (gpu.rail_gate) add_switch("railgate_enable", "1", {"0", "1"});
  if (gpu.load) add(gpu.device + "/load", gpu_load());
}

// Thousandths of the time of late; of all that use it.
SimulatedNode SimulatedNodes::gpu_load() {
  return {
      [&hardware = hardware_](const SimulatedState& state, std::int64_t now_ns) -> SystemResult<std::string> {
        const auto own = static_cast<std::int64_t>(1000 * busy_share(hardware, state, now_ns));
        const auto foreign = state.number(kSimulatedForeignGpuLoad, 0);
        return fmt::format("{}\n", std::min<std::int64_t>(1000, own + foreign));
      },
      nullptr, nullptr};
}

void SimulatedNodes::add_gpu_clock(const std::string& devfreq) {
  const auto& hardware = hardware_;
  add_text(devfreq + "/available_frequencies", fmt::format("{}\n", fmt::join(hardware.gpu.levels_hz, " ")));
  add_text(devfreq + "/available_governors", fmt::format("{}\n", fmt::join(gpu_governors(), " ")));
  add(devfreq + "/governor", knob([](const SimulatedState& state) { return state.gpu.governor; },
                                  [](SimulatedState& state, std::string_view text) {
                                    return store_governor(state.gpu.governor, text, gpu_governors());
                                  }));
  add(devfreq + "/min_freq",
      knob([&hardware](const SimulatedState& state) { return gpu_limits(hardware, state.gpu).min; },
           [&hardware](SimulatedState& state, std::string_view text) {
             return store_gpu_min_hz(hardware, state, text);
           }));
  add(devfreq + "/max_freq",
      knob([&hardware](const SimulatedState& state) { return gpu_limits(hardware, state.gpu).max; },
           [&hardware](SimulatedState& state, std::string_view text) {
             return store_gpu_max_hz(hardware, state, text);
           }));
  add(devfreq + "/cur_freq",
      {[&hardware](const SimulatedState& state, std::int64_t now_ns) -> SystemResult<std::string> {
         return fmt::format("{}\n", running_at(hardware, state, busy_at(state, now_ns)).gpu_hz);
       },
       nullptr, nullptr});
}

void SimulatedNodes::add_emc() {
  if (hardware_.emc.style == Style::devfreq) {
    add_text("/sys/class/devfreq/bwmgr/max_freq", fmt::format("{}\n", hardware_.emc.levels_hz.back()));
    add_text("/sys/class/devfreq/bwmgr/min_freq", fmt::format("{}\n", hardware_.emc.levels_hz.front()));
    return;
  }
  const bool clk_cap = hardware_.emc.style == Style::clk_cap;
  add(clk_cap ? "/sys/kernel/nvpmodel_clk_cap/emc" : "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap",
      knob([&hardware = hardware_](const SimulatedState& state) { return emc_cap(hardware, state); },
           [&hardware = hardware_](SimulatedState& state, std::string_view text) {
             return store_emc_cap(hardware, state, text);
           }));
  if (hardware_.emc.style == Style::override) {
    add_override_emc();
  } else {
    add_bpmp_emc();
  }
}

void SimulatedNodes::add_bpmp_emc() {
  const std::string bpmp = "/sys/kernel/debug/bpmp/debug";
  const std::string clock = bpmp + "/clk/emc";
  std::vector<std::int64_t> khz;
  for (const auto hz : hardware_.emc.levels_hz)
    khz.push_back(hz / 1000);
  add_text(bpmp + "/emc/possible_rates", fmt::format("{} (kHz)\n", fmt::join(khz, " ")));
  add_text(clock + "/min_rate", fmt::format("{}\n", hardware_.emc.levels_hz.front()));
  add_text(clock + "/max_rate", fmt::format("{}\n", hardware_.emc.levels_hz.back()));
  add(clock + "/state",
      knob([](const SimulatedState& state) { return state.emc.enabled ? 1 : 0; }, store_emc_enabled));
  if (hardware_.emc.style == Style::clk_cap) {
    const std::string halt = bpmp + "/bwmgr/bwmgr_halt";
    add(halt, switch_node(halt, "0", {"0", "1"}));
  }
  add(clock + "/mrq_rate_locked", emc_lock());
  add(clock + "/rate", emc_rate_node(true));
}

// What the Nano has: one node takes a rate, another tells the one that holds.
void SimulatedNodes::add_override_emc() {
  const std::string clock = "/sys/kernel/debug/clk/override.emc";
  add(clock + "/clk_state", emc_lock());
  add(clock + "/clk_rate", emc_rate_node(false));
  auto update = emc_rate_node(true);
  update.read = nullptr;
  add(clock + "/clk_update_rate", std::move(update));
  for (const bool lowest : {true, false}) {
    const auto& levels = hardware_.emc.levels_hz;
    add_text(fmt::format("/sys/kernel/debug/tegra_bwmgr/emc_{}_rate", lowest ? "min" : "max"),
             fmt::format("{}\n", lowest ? levels.front() : levels.back()));
  }
}

SimulatedNode SimulatedNodes::emc_lock() {
  return {[](const SimulatedState& state, std::int64_t) -> SystemResult<std::string> {
            return state.emc.locked ? "1\n" : "0\n";
          },
          [&hardware = hardware_](SimulatedState& state, std::string_view text, std::int64_t now_ns) {
            return store_emc_locked(hardware, state, text, busy_at(state, now_ns));
          },
          nullptr};
}

SimulatedNode SimulatedNodes::emc_rate_node(bool writable) {
  SimulatedNode node;
  node.read = [&hardware = hardware_](const SimulatedState& state,
                                      std::int64_t now_ns) -> SystemResult<std::string> {
    return fmt::format("{}\n", emc_rate(hardware, state, busy_at(state, now_ns)));
  };
  if (writable) {
    node.write = [&hardware = hardware_](SimulatedState& state, std::string_view text, std::int64_t) {
      return store_emc_rate(hardware, state, text);
    };
  }
  return node;
}

}  // namespace fulcrum::powermode

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "powermode/simulated_node_kinds.h"
#include "powermode/simulated_nodes.h"
#include "powermode/simulated_power.h"

namespace fulcrum::powermode {

using Chip = SimulatedHardware::Chip;
using Driver = SimulatedHardware::ChipDriver;

void SimulatedNodes::add_power_sensors() {
  for (std::size_t chip = 0; chip < hardware_.chips.size(); ++chip) {
    if (hardware_.chips[chip].driver == Driver::ina3221x) {
      add_iio_chip(hardware_.chips[chip], chip);
      continue;
    }
    const auto places = std::max<std::size_t>(2, hardware_.chips.size());  // also of one chip it changes
    for (int parity = 0; parity < 2; ++parity) {
      const auto number = 3 + (chip + static_cast<std::size_t>(parity)) % places;
      add_hwmon_chip(hardware_.chips[chip], fmt::format("hwmon{}", number), in_boots(parity));
    }
  }
}

// Bus voltage in mV and current in mA, whose product is the rail's power; an INA238 tells power by itself.
void SimulatedNodes::add_hwmon_chip(const Chip& chip, const std::string& name,
                                    const SimulatedNode::Present& present) {
  const bool ina238 = chip.driver == Driver::ina238;
  const auto hwmon =
      fmt::format("/sys/bus/i2c/drivers/{}/{}/hwmon/{}", ina238 ? "ina238" : "ina3221", chip.address, name);
  add_text(hwmon + "/name", ina238 ? "ina238\n" : "ina3221\n", present);
  if (chip.update_interval_ms)
    add_text(hwmon + "/update_interval", fmt::format("{}\n", *chip.update_interval_ms), present);
  if (!ina238) add_text(hwmon + "/in7_label", "sum of shunt voltages\n", present);
  if (hardware_.nvpmodel && hardware_.nvpmodel->hwmon_param)
    add(hwmon + "/curr1_max", number_node(hwmon + "/curr1_max", 32760, present));
  for (std::size_t channel = 0; channel < chip.channels.size(); ++channel) {
    const auto& rail = chip.channels[channel];
    const auto number = channel + 1;
    add_text(fmt::format("{}/in{}_label", hwmon, number), rail.label + "\n", present);
    add_text(fmt::format("{}/in{}_input", hwmon, number), fmt::format("{}\n", rail.millivolts), present);
    add(fmt::format("{}/curr{}_input", hwmon, number),
        rail_node(rail, 1e6 / static_cast<double>(std::max<std::int64_t>(1, rail.millivolts)), present));
    if (ina238) {
      add(fmt::format("{}/power{}_input", hwmon, number), rail_node(rail, 1e6, present));
    } else {
      add_text(fmt::format("{}/in{}_enable", hwmon, number), "1\n", present);
    }
  }
}

void SimulatedNodes::add_iio_chip(const Chip& chip, std::size_t number) {
  const auto directory = fmt::format("/sys/bus/i2c/drivers/ina3221x/{}/iio:device{}", chip.address, number);
  for (std::size_t channel = 0; channel < chip.channels.size(); ++channel) {
    const auto& rail = chip.channels[channel];
    add_text(fmt::format("{}/rail_name_{}", directory, channel), rail.label + "\n");
    add_text(fmt::format("{}/in_voltage{}_input", directory, channel), fmt::format("{}\n", rail.millivolts));
    add(fmt::format("{}/in_power{}_input", directory, channel), rail_node(rail, 1e3, nullptr));
    add(fmt::format("{}/in_current{}_input", directory, channel),
        rail_node(rail, 1e6 / static_cast<double>(std::max<std::int64_t>(1, rail.millivolts)), nullptr));
  }
}

// The rail's power in some unit.
SimulatedNode SimulatedNodes::rail_node(const SimulatedHardware::Channel& rail, double units_per_watt,
                                        SimulatedNode::Present present) {
  SimulatedNode node;
  node.present = std::move(present);
  node.read = [&machine = machine_, &rail, units_per_watt](const SimulatedState& state,
                                                           std::int64_t now_ns) -> SystemResult<std::string> {
    if (rail.share <= 0) return "0\n";
    const auto power_w = mean_power_w(machine.hardware(), state, machine.workloads(), now_ns);
    if (!power_w) return tl::unexpected(EIO);
    return fmt::format("{}\n", std::llround(*power_w * rail.share * units_per_watt));
  };
  return node;
}

void SimulatedNodes::add_thermal_zones() {
  for (std::size_t i = 0; i < hardware_.thermal_zones.size(); ++i) {
    const auto& zone = hardware_.thermal_zones[i];
    const std::string directory = fmt::format("/sys/class/thermal/thermal_zone{}", i);
    add_text(directory + "/type", zone.type + "\n");
    add(directory + "/temp", {[i](const SimulatedState& state, std::int64_t) -> SystemResult<std::string> {
                                const auto& millidegrees = state.temperatures[i];
                                if (!millidegrees) return tl::unexpected(EAGAIN);
                                return fmt::format("{}\n", *millidegrees);
                              },
                              nullptr, nullptr});
  }
}

void SimulatedNodes::add_over_current_counters() {
  for (int parity = 0; parity < 2; ++parity) {
    const std::string hwmon =
        fmt::format("/sys/devices/platform/soctherm-oc-event/hwmon/hwmon{}", 1 + parity);
    add_text(hwmon + "/name", "soctherm_oc\n", in_boots(parity));
    for (std::size_t alarm = 0; alarm < kOverCurrentAlarms; ++alarm) {
      const std::string base = fmt::format("{}/oc{}", hwmon, alarm + 1);
      add(base + "_event_cnt",
          readable([alarm](const SimulatedState& state) { return state.over_current_events[alarm]; },
                   in_boots(parity)));
      add_text(base + "_throt_en", "1\n", in_boots(parity));
    }
  }
}

}  // namespace fulcrum::powermode

#pragma once
// Fills a simulated machine's table with the nodes of an NVIDIA Jetson as its release of JetPack has them.

#include <string>

#include "powermode/simulated_machine.h"

namespace fulcrum::powermode {

class SimulatedNodes {
 public:
  explicit SimulatedNodes(SimulatedMachine& machine) : machine_(machine), hardware_(machine.hardware_) {}
  void add_all();

 private:
  void add_identity();
  void add_cpus();
  void add_cpu_policy(std::size_t cluster);
  void add_gpu();
  void add_gpu_clock(const std::string& devfreq);
  SimulatedNode gpu_load();
  void add_emc();
  void add_bpmp_emc();
  void add_override_emc();
  SimulatedNode emc_lock();
  SimulatedNode emc_rate_node(bool writable);
  void add_power_sensors();
  void add_hwmon_chip(const SimulatedHardware::Chip& chip, const std::string& name,
                      const SimulatedNode::Present& present);
  void add_iio_chip(const SimulatedHardware::Chip& chip, std::size_t number);
  SimulatedNode rail_node(const SimulatedHardware::Channel& rail, double units_per_watt,
                          SimulatedNode::Present present);
  void add_thermal_zones();
  void add_over_current_counters();
  void add_load();
  void add_sensor_controls();
  void add_nvpmodel();

  void add(const std::string& path, SimulatedNode node) { machine_.nodes_[path] = std::move(node); }
  void add_text(const std::string& path, const std::string& text, SimulatedNode::Present present = nullptr);
  void link(const std::string& path, const std::string& target, SimulatedNode::Present present = nullptr) {
    machine_.links_[path] = {target, std::move(present)};
  }

  SimulatedMachine& machine_;
  const SimulatedHardware& hardware_;
};

}  // namespace fulcrum::powermode

#include "powermode/simulated_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "powermode/node_text.h"
#include "powermode/nvpmodel_output.h"
#include "powermode/simulated_knobs.h"
#include "powermode/simulated_node_kinds.h"
#include "powermode/simulated_nvpmodel.h"
#include "powermode/simulated_power.h"
#include "powermode/simulated_sensors.h"

namespace fulcrum::powermode {

namespace {

using State = SimulatedState;
using Present = SimulatedNode::Present;

constexpr const char* kCpus = "/sys/devices/system/cpu";

std::string cpu_list(const State& state) {
  std::string list;
  const auto& online = state.cpu_online;
  for (std::size_t first = 0; first < online.size(); ++first) {
    if (!online[first]) continue;
    std::size_t last = first;
    while (last + 1 < online.size() && online[last + 1])
      ++last;
    if (!list.empty()) list += ',';
    list += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    first = last;
  }
  return list;
}

}  // namespace

SimulatedNode switch_node(const std::string& path, const std::string& after_boot,
                          std::vector<std::string> known) {
  return knob(
      [path, after_boot](const State& state) {
        const auto value = state.values.find(path);
        return value == state.values.end() ? after_boot : value->second;
      },
      [path, after_boot, known = std::move(known)](State& state, std::string_view text) {
        if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        if (std::find(known.begin(), known.end(), text) == known.end()) return EINVAL;
        state.values.erase(path);
        if (text != after_boot) state.values[path] = std::string(text);
        return 0;
      });
}

SimulatedNode number_node(const std::string& path, std::int64_t highest, Present present) {
  return knob([path](const State& state) { return state.number(path, 0); },
              [path, highest](State& state, std::string_view text) {
                const auto number = parse_number(trimmed(text));
                if (!number || *number < 0 || *number > highest) return EINVAL;
                state.values[path] = std::to_string(*number);
                return 0;
              },
              std::move(present));
}

void SimulatedNodes::add_text(const std::string& path, const std::string& text, Present present) {
  add(path, {[text](const State&, std::int64_t) { return SystemResult<std::string>(text); }, nullptr,
             std::move(present)});
}

void SimulatedNodes::add_all() {
  add_identity();
  add_cpus();
  add_gpu();
  add_emc();
  add_power_sensors();
  add_thermal_zones();
  if (hardware_.over_current) add_over_current_counters();
  add_load();
  add_sensor_controls();
  if (hardware_.nvpmodel) add_nvpmodel();
}

void SimulatedNodes::add_identity() {
  const std::string tree = "/sys/firmware/devicetree/base";
  std::string compatible;
  for (const auto& entry : hardware_.compatible)
    compatible += entry + '\0';
  add_text(tree + "/compatible", compatible);
  add_text(tree + "/model", hardware_.model + '\0');
  link("/proc/device-tree", tree);
  add_text("/proc/sys/kernel/osrelease", hardware_.kernel.release + "\n");
  add_text("/etc/nv_tegra_release", "# " + hardware_.release + ", BOARD: generic, EABI: aarch64\n");
  add_text("/proc/meminfo",
           "MemTotal:       31357248 kB\nMemFree:         8123456 kB\nMemAvailable:   24123456 kB\n");
  add("/proc/sys/kernel/random/boot_id", readable([](const State& state) { return state.boot_id; }));
}

void SimulatedNodes::add_cpus() {
  const int last = hardware_.cpu_count() - 1;
  for (const char* name : {"possible", "present"})
    add_text(fmt::format("{}/{}", kCpus, name), fmt::format("0-{}\n", last));
  add(fmt::format("{}/online", kCpus), readable(cpu_list));
  for (int cpu = 0; cpu <= last; ++cpu) {
    add(fmt::format("{}/cpu{}/online", kCpus, cpu),
        knob([cpu](const State& state) { return state.cpu_online[static_cast<std::size_t>(cpu)] ? 1 : 0; },
             [cpu](State& state, std::string_view text) { return store_online(state, cpu, text); }));
  }
  for (std::size_t cluster = 0; cluster < hardware_.cpu.clusters.size(); ++cluster)
    add_cpu_policy(cluster);
}

// There only while a CPU of the cluster is online.
void SimulatedNodes::add_cpu_policy(std::size_t cluster) {
  const auto& hardware = hardware_;
  const auto& cpus = hardware.cpu.clusters[cluster];
  const std::string policy = fmt::format("{}/cpufreq/policy{}", kCpus, cpus.front());
  const Present present = [&hardware, cluster](const State& state) {
    return cluster_online(hardware, state, cluster);
  };
  for (const int cpu : cpus)
    link(fmt::format("{}/cpu{}/cpufreq", kCpus, cpu), policy, present);

  const auto& levels = hardware.cpu.levels_khz;
  add_text(policy + "/scaling_available_frequencies", fmt::format("{} \n", fmt::join(levels, " ")), present);
  add_text(policy + "/cpuinfo_min_freq", fmt::format("{}\n", levels.front()), present);
  add_text(policy + "/cpuinfo_max_freq", fmt::format("{}\n", levels.back()), present);
  add_text(policy + "/related_cpus", fmt::format("{}\n", fmt::join(cpus, " ")), present);
  add_text(policy + "/scaling_available_governors", fmt::format("{} \n", fmt::join(cpu_governors(), " ")),
           present);
  add(policy + "/scaling_governor",
      knob([cluster](const State& state) { return state.clusters[cluster].governor; },
           [cluster](State& state, std::string_view text) {
             return store_governor(state.clusters[cluster].governor, text, cpu_governors());
           },
           present));
  add(policy + "/scaling_min_freq",
      knob([&hardware,
            cluster](const State& state) { return cpu_limits(hardware, state.clusters[cluster]).min; },
           [&hardware, cluster](State& state, std::string_view text) {
             return store_cpu_min_khz(hardware, state.clusters[cluster], text);
           },
           present));
  add(policy + "/scaling_max_freq",
      knob([&hardware,
            cluster](const State& state) { return cpu_limits(hardware, state.clusters[cluster]).max; },
           [&hardware, cluster](State& state, std::string_view text) {
             return store_cpu_max_khz(hardware, state.clusters[cluster], text);
           },
           present));
  // What the kernel asked for, and what the hardware makes of it.
  for (const bool measured : {false, true}) {
    SimulatedNode node;
    node.present = present;
    node.read = [&hardware, cluster, measured](const State& state,
                                               std::int64_t now_ns) -> SystemResult<std::string> {
      const auto khz = cpu_khz_now(hardware, state.clusters[cluster], busy_at(state, now_ns));
      const auto lost = measured ? state.number(kSimulatedCpuThrottle, 0) : 0;
      return fmt::format("{}\n", khz * (100 - lost) / 100);
    };
    add(policy + (measured ? "/cpuinfo_cur_freq" : "/scaling_cur_freq"), std::move(node));
  }
}

// The catalogue, what is kept of the last mode that was asked for, and how the program behaves.
void SimulatedNodes::add_nvpmodel() {
  const std::string file = fmt::format("/etc/nvpmodel/nvpmodel_{}.conf", hardware_.board);
  add_text(file, nvpmodel_conf_of(hardware_));
  link("/etc/nvpmodel.conf", file);
  add_text(kSimulatedNvpmodelProgram, "#!/bin/false\n# fulcrum-simboard nvpmodel\n");
  const Present asked = [](const State& state) { return state.nvpmodel_id.has_value(); };
  auto status =
      knob([](const State& state) { return fmt::format("pmode:{:04}", state.nvpmodel_id.value_or(0)); },
           store_nvpmodel_status, asked);
  status.made_by_writing = true;
  add(kNvpmodelStatus, std::move(status));
  add(kSimulatedNvpmodel,
      switch_node(kSimulatedNvpmodel, "works", {"works", "chroot", "silent", "hangs", "pending_reboot"}));
}

void SimulatedNodes::add_sensor_controls() {
  add(kSimulatedCpuThrottle, number_node(kSimulatedCpuThrottle, 99));
  add(kSimulatedForeignGpuLoad, number_node(kSimulatedForeignGpuLoad, 1000));
  for (std::size_t alarm = 0; alarm < kOverCurrentAlarms; ++alarm) {
    add(fmt::format("{}/oc{}", kSimulatedOverCurrent, alarm + 1),
        knob([alarm](const State& state) { return state.over_current_events[alarm]; },
             [alarm](State& state, std::string_view text) {
               return store_over_current(state.over_current_events[alarm], text);
             }));
  }
  for (std::size_t i = 0; i < hardware_.thermal_zones.size(); ++i) {
    add(fmt::format("{}/{}", kSimulatedTemperature, hardware_.thermal_zones[i].type),
        knob([i](const State& state) { return format_temperature(state.temperatures[i]); },
             [i](State& state, std::string_view text) {
               return store_temperature(state.temperatures[i], text);
             }));
  }
}

void SimulatedNodes::add_load() {
  add(kSimulatedLoadNode,
      {[](const State& state, std::int64_t) -> SystemResult<std::string> {
         return format_load_edges(state.load);
       },
       [&workloads = machine_.workloads_](State& state, std::string_view text, std::int64_t now_ns) {
         return store_load(state, text, workloads, now_ns);
       },
       nullptr});
}

}  // namespace fulcrum::powermode

#include "powermode/simulated_nvpmodel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "powermode/nvpmodel_output.h"

namespace fulcrum::powermode {

namespace {

using Hardware = SimulatedHardware;

constexpr const char* kCpuNodes = "/sys/devices/system/cpu";

// Of the params that the catalogue has for CPU clocks: the name, and the CPU whose limits it sets.
struct CpuParam {
  std::string name;
  int cpu = 0;
};

std::vector<CpuParam> cpu_params(const Hardware& hardware) {
  std::vector<CpuParam> params;
  const auto& nvpmodel = *hardware.nvpmodel;
  for (std::size_t cluster = 0; cluster < hardware.cpu.clusters.size(); ++cluster) {
    const auto& name = nvpmodel.cpu_params[std::min(cluster, nvpmodel.cpu_params.size() - 1)];
    const bool only = nvpmodel.cpu_params.size() > 1;
    for (const int cpu : hardware.cpu.clusters[cluster]) {
      const auto number = nvpmodel.per_core ? static_cast<std::size_t>(cpu) : cluster;
      params.push_back({only ? fmt::format("CPU_{}", name) : fmt::format("CPU_{}_{}", name, number), cpu});
      if (!nvpmodel.per_core) break;
    }
  }
  return params;
}

std::string clock_param(const std::string& name, const std::string& table, const std::string& limits,
                        const char* prefix) {
  return fmt::format(
      "< PARAM TYPE=CLOCK NAME={0} >\nFREQ_TABLE {2}/{1}\nMAX_FREQ {2}/{3}max_freq\nMIN_FREQ "
      "{2}/{3}min_freq\n\n",
      name, table, limits, prefix);
}

std::string gating_param(const std::string& node, const std::string& device) {
  const std::string unit = node.substr(0, 3) == "tpc" ? "TPC" : "FBP";
  return fmt::format("< PARAM TYPE=FILE NAME={0}_POWER_GATING >\n{0}_PG_MASK {1}/{2}\n\n", unit, device,
                     node);
}

std::string emc_param(const Hardware& hardware) {
  const bool clk_cap = hardware.emc.style == Hardware::EmcStyle::clk_cap;
  // Without a blank before the NAME's end, as real files have it.
  return fmt::format(
      "<PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ {}\n\n",
      clk_cap ? "/sys/kernel/nvpmodel_clk_cap/emc" : "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap");
}

std::string params_of(const Hardware& hardware) {
  std::string text = "# Power modes of a simulated board.\n\n< PARAM TYPE=FILE NAME=CPU_ONLINE >\n";
  for (int cpu = hardware.nvpmodel->lists_core_0 ? 0 : 1; cpu < hardware.cpu_count(); ++cpu)
    text += fmt::format("CORE_{0} {1}/cpu{0}/online\n", cpu, kCpuNodes);
  text += '\n';
  const auto& gpu = hardware.gpu;
  const std::string device = gpu.aliases.empty() ? gpu.device : gpu.aliases.back();
  for (const auto& [node, mask] : gpu.masks)
    text += gating_param(node, device);
  text += fmt::format(
      "< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_ENABLE >\nGPU_PWR_CNTL_EN {0}/power/control\n\n"
      "< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_DISABLE >\nGPU_PWR_CNTL_DIS {0}/power/control\n\n",
      device);
  for (const auto& param : cpu_params(hardware)) {
    text += clock_param(param.name, "scaling_available_frequencies",
                        fmt::format("{}/cpu{}/cpufreq", kCpuNodes, param.cpu), "scaling_");
  }
  const std::string devfreq = gpu.device + "/devfreq/" + gpu.name;
  auto gpu_param = clock_param("GPU", "available_frequencies", devfreq, "");
  if (gpu.devfreq_link) {
    gpu_param.pop_back();  // more arguments follow
    gpu_param += fmt::format(
        "FREQ_TABLE_KNEXT {0}/available_frequencies\nMAX_FREQ_KNEXT {0}/max_freq\nMIN_FREQ_KNEXT "
        "{0}/min_freq\n\n",
        gpu.device + "/devfreq_dev");
  }
  if (hardware.nvpmodel->hwmon_param) {
    gpu_param += fmt::format(
        "< PARAM TYPE=HWMON NAME=VDDIN_OC_LIMIT >\nWARN /sys/bus/i2c/drivers/ina3221/{}/hwmon curr1_max\n\n",
        hardware.chips.front().address);
  }
  return text + gpu_param + emc_param(hardware);
}

std::string cap_text(const std::optional<std::int64_t>& cap) {
  return std::to_string(cap.value_or(-1));
}

std::string model_of(const Hardware& hardware, const Hardware::NvpmodelMode& mode) {
  std::string text = fmt::format("< POWER_MODEL ID={} NAME={} >\n", mode.id, mode.name);
  std::vector<bool> online(static_cast<std::size_t>(hardware.cpu_count()), false);
  int left = mode.cpus.value_or(hardware.cpu_count());
  for (const auto& cluster : hardware.cpu.clusters) {
    for (const int cpu : cluster)
      online[static_cast<std::size_t>(cpu)] = left-- > 0;
  }
  for (int cpu = hardware.nvpmodel->lists_core_0 ? 0 : 1; cpu < hardware.cpu_count(); ++cpu)
    text += fmt::format("CPU_ONLINE CORE_{} {}\n", cpu, online[static_cast<std::size_t>(cpu)] ? 1 : 0);
  for (const auto& [node, mask] : mode.masks) {
    const std::string unit = node.substr(0, 3) == "tpc" ? "TPC" : "FBP";
    text += fmt::format("{0}_POWER_GATING {0}_PG_MASK {1}\n", unit, mask);
  }
  text += "GPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on\n";
  for (const auto& param : cpu_params(hardware)) {
    if (!online[static_cast<std::size_t>(param.cpu)]) continue;  // offline clusters have no lines
    text += fmt::format("{0} MIN_FREQ 0\n{0} MAX_FREQ {1}\n", param.name, cap_text(mode.cpu_khz));
  }
  text += fmt::format("GPU MIN_FREQ 0\nGPU MAX_FREQ {}\n", cap_text(mode.gpu_hz));
  if (hardware.nvpmodel->hwmon_param) text += "VDDIN_OC_LIMIT WARN 4000\n";
  text += "GPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto\n";
  return text + fmt::format("EMC MAX_FREQ {}\n\n", cap_text(mode.emc_hz));
}

}  // namespace

std::string nvpmodel_conf_of(const SimulatedHardware& hardware) {
  std::string text = params_of(hardware);
  for (const auto& mode : hardware.nvpmodel->modes)
    text += model_of(hardware, mode);
  return text + fmt::format("< PM_CONFIG DEFAULT={} >\n", hardware.nvpmodel->default_id);
}

int store_nvpmodel_status(SimulatedState& state, std::string_view text) {
  const auto id = parse_nvpmodel_status(text);
  if (!id) return EINVAL;
  state.nvpmodel_id = *id;
  return 0;
}

}  // namespace fulcrum::powermode

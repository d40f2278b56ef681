#include "powermode/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "powermode/node_text.h"

namespace fulcrum::powermode {

namespace {

constexpr const char* kKernelRelease = "/proc/sys/kernel/osrelease";

// Since 5.10 nvpmodel uses other paths for some knobs, which its catalogue has beside those for 4.9.
bool has_new_kernel(const FileTree& tree) {
  const auto release = read_text(tree, kKernelRelease);
  int major = 0;
  int minor = 0;
  if (!release || std::sscanf(release->c_str(), "%d.%d", &major, &minor) != 2)
    return true;  // NOLINT(cert-err34-c)
  return major > 5 || (major == 5 && minor >= 10);
}

// A CPU that the catalogue does not list stays as it is, which after boot is online.
std::vector<int> online_cpus(const NvpmodelCaps& caps, const KnobNodes& knobs) {
  std::vector<int> online;
  for (const auto& cpu : knobs.cpus) {
    const auto listed = caps.online.find(cpu.number);
    if (cpu.number == 0 || listed == caps.online.end() || listed->second) online.push_back(cpu.number);
  }
  return online;
}

// Clusters with CPUs online, each with its cap.
std::set<std::int64_t> caps_of_clusters(const NvpmodelCaps& caps, const KnobNodes& knobs,
                                        const std::vector<int>& online, const BoardLevels& levels) {
  std::set<std::int64_t> found;
  for (const auto& cluster : knobs.clusters) {
    bool runs = false;
    std::optional<std::int64_t> cap;
    for (const auto& cpu : cluster.cpus) {
      runs = runs || std::find(online.begin(), online.end(), cpu.number) != online.end();
      const auto listed = caps.cpu_khz.find(cpu.number);
      if (listed != caps.cpu_khz.end()) cap = std::min(cap.value_or(listed->second), listed->second);
    }
    if (runs) found.insert(level_below(levels.cpu_khz, cap));
  }
  return found;
}

Preset preset_of(const NvpmodelConf::Model& model, const NvpmodelCaps& caps, const KnobNodes& knobs,
                 const BoardLevels& levels) {
  Preset preset{model.name, {}, model.id, {}, caps.gating_masks};
  const auto online = online_cpus(caps, knobs);
  preset.mode.cpu_cores = static_cast<int>(online.size());
  for (std::size_t i = 0; i < online.size(); ++i) {
    if (knobs.cpus[i].number == online[i]) continue;
    preset.differences.push_back(fmt::format("its CPUs online are {}", fmt::join(online, ", ")));
    break;
  }
  const auto khz = caps_of_clusters(caps, knobs, online, levels);
  preset.mode.cpu_khz = *khz.rbegin();
  if (khz.size() > 1) {
    preset.differences.push_back(
        fmt::format("its clusters have different caps: {} kHz", fmt::join(khz, ", ")));
  }
  preset.mode.gpu_hz = level_below(levels.gpu_hz, caps.gpu_hz);
  preset.mode.emc_hz = level_below(levels.emc_hz, caps.emc_hz);
  return preset;
}

std::vector<Preset> described_presets(const BoardDescription& description, const BoardLevels& levels) {
  std::vector<Preset> presets;
  presets.reserve(description.presets.size());
  for (const auto& cap : description.presets) {
    presets.push_back(
        {cap.name,
         {level_below(levels.cpu_cores, cap.cpu_cores), level_below(levels.cpu_khz, cap.cpu_khz),
          level_below(levels.gpu_hz, cap.gpu_hz), level_below(levels.emc_hz, cap.emc_hz)},
         std::nullopt,
         {},
         {}});
  }
  return presets;
}

}  // namespace

PresetCatalogue find_presets(const FileTree& tree, const BoardDescription& description,
                             const KnobNodes& knobs, const BoardLevels& levels) {
  PresetCatalogue catalogue;
  catalogue.presets = described_presets(description, levels);
  if (!tree.exists(kNvpmodelConf)) return catalogue;
  const auto text = tree.read(kNvpmodelConf);
  if (!text) {
    catalogue.trouble = text.error().to_string();
    return catalogue;
  }
  auto conf = parse_nvpmodel_conf(*text, kNvpmodelConf);
  if (!conf) {
    catalogue.trouble = conf.error().front().to_string();
    return catalogue;
  }
  catalogue.new_kernel = has_new_kernel(tree);
  catalogue.presets.clear();
  for (const auto& model : conf->models) {
    const auto caps = nvpmodel_caps(*conf, model, catalogue.new_kernel);
    catalogue.presets.push_back(preset_of(model, caps, knobs, levels));
  }
  catalogue.conf = std::move(*conf);
  return catalogue;
}

std::string why_unreachable(const FileTree& tree, const Preset& preset) {
  for (const auto& [path, mask] : preset.gating_masks) {
    const auto live = read_number(tree, path);
    if (!live)
      return fmt::format("whether its power gating holds cannot be read: {}", live.error().to_string());
    if (*live != mask)
      return fmt::format("it gates other parts of the GPU than are gated now: '{}' is {}, not {}", path,
                         *live, mask);
  }
  return {};
}

}  // namespace fulcrum::powermode

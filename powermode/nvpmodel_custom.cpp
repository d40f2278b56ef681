#include "powermode/nvpmodel_custom.h"

#include <fmt/format.h>

#include <optional>
#include <set>

namespace fulcrum::powermode {

namespace {

std::string_view type_name(NvpmodelConf::Type type) {
  switch (type) {
    case NvpmodelConf::Type::file:
      return "FILE";
    case NvpmodelConf::Type::clock:
      return "CLOCK";
    case NvpmodelConf::Type::hwmon:
      return "HWMON";
  }
  return "FILE";
}

std::string param_text(const NvpmodelConf::Param& param) {
  std::string text = fmt::format("< PARAM TYPE={} NAME={} >\n", type_name(param.type), param.name);
  for (const auto& argument : param.arguments) {
    text += fmt::format("{} {}", argument.name, argument.path);
    if (!argument.attribute.empty()) text += ' ' + argument.attribute;
    text += '\n';
  }
  return text + '\n';
}

template <class T>
std::optional<std::string> text_of(const std::map<int, T>& values, int cpu) {
  const auto value = values.find(cpu);
  if (value == values.end()) return std::nullopt;
  return std::to_string(static_cast<std::int64_t>(value->second));
}

// Our value for a node. None: the line stays out, as nvpmodel's own do for CPUs that are offline.
std::optional<std::string> value_for(const std::string& path, const std::string& base_value,
                                     const CustomNvpmodelMode& mode) {
  const auto node = nvpmodel_node(path);
  switch (node.knob) {
    case NvpmodelKnob::cpu_online:
      return text_of(mode.online, node.cpu);
    case NvpmodelKnob::cpu_max:
      return text_of(mode.cpu_khz, node.cpu);
    case NvpmodelKnob::cpu_min:
      return mode.cpu_khz.count(node.cpu) > 0 ? std::optional<std::string>("0") : std::nullopt;
    case NvpmodelKnob::gpu_max:
      return std::to_string(mode.gpu_hz);
    case NvpmodelKnob::gpu_min:
      return "0";
    case NvpmodelKnob::emc_iso_cap:
    case NvpmodelKnob::emc_clk_cap:
      return std::to_string(mode.emc_hz);
    case NvpmodelKnob::gating: {
      const auto mask = mode.gating_masks.find(path);
      return mask == mode.gating_masks.end() ? base_value : std::to_string(mask->second);
    }
    case NvpmodelKnob::other:
      return base_value;
  }
  return base_value;
}

class ModelText {
 public:
  ModelText(const NvpmodelConf& conf, bool new_kernel, const CustomNvpmodelMode& mode)
      : conf_(conf), new_kernel_(new_kernel), mode_(mode) {}

  // In the order of the base, which is the order in which nvpmodel writes.
  std::string from(const NvpmodelConf::Model& base) {
    text_ = cpus_online();
    std::string cpu_clocks = clocks_of_cpus();
    for (const auto& setting : base.settings) {
      const auto* param = conf_.param(setting.param);
      const auto* argument = param != nullptr ? param->find(setting.argument, new_kernel_) : nullptr;
      if (argument == nullptr || done_.count(setting.param + ' ' + setting.argument) > 0) continue;
      text_ += std::exchange(cpu_clocks, {});
      if (const auto value = value_for(argument->path, setting.value, mode_))
        text_ += fmt::format("{} {} {}\n", setting.param, setting.argument, *value);
    }
    return text_ + cpu_clocks;
  }

 private:
  // All that the params know, not only those that the base lists. It comes first: only what is online has
  // clocks.
  std::string cpus_online() {
    std::string text;
    for (const auto& param : conf_.params) {
      for (const auto& argument : param.arguments) {
        if (nvpmodel_node(argument.path).knob != NvpmodelKnob::cpu_online) continue;
        done_.insert(param.name + ' ' + argument.name);
        if (const auto value = value_for(argument.path, "1", mode_))
          text += fmt::format("{} {} {}\n", param.name, argument.name, *value);
      }
    }
    return text;
  }

  // The base leaves out clusters that it takes offline.
  std::string clocks_of_cpus() {
    std::string text;
    for (const auto& param : conf_.params) {
      for (const char* name : {"MIN_FREQ", "MAX_FREQ"}) {
        const auto* argument = param.find(name, new_kernel_);
        if (argument == nullptr) continue;
        const auto knob = nvpmodel_node(argument->path).knob;
        if (knob != NvpmodelKnob::cpu_min && knob != NvpmodelKnob::cpu_max) continue;
        done_.insert(fmt::format("{} {}", param.name, name));
        if (const auto value = value_for(argument->path, "0", mode_))
          text += fmt::format("{} {} {}\n", param.name, name, *value);
      }
    }
    return text;
  }

  const NvpmodelConf& conf_;
  bool new_kernel_;
  const CustomNvpmodelMode& mode_;
  std::set<std::string> done_;
  std::string text_;
};

}  // namespace

std::string custom_nvpmodel_conf(const NvpmodelConf& conf, const NvpmodelConf::Model& base, bool new_kernel,
                                 const CustomNvpmodelMode& mode) {
  std::string text = "# Made by fulcrumd for one power mode; may be deleted.\n\n";
  for (const auto& param : conf.params)
    text += param_text(param);
  text += fmt::format("< POWER_MODEL ID={} NAME={} >\n", mode.id, mode.name);
  text += ModelText(conf, new_kernel, mode).from(base);
  return text + fmt::format("\n< PM_CONFIG DEFAULT={} >\n", mode.id);
}

}  // namespace fulcrum::powermode

#pragma once
// A catalogue of our own for nvpmodel, with one mode: the board's params, and values as we want them. What is
// not ours to choose (power control, DLA, over-current limits) is as in one of the board's own modes.

#include <cstdint>
#include <map>
#include <string>

#include "powermode/nvpmodel_conf.h"

namespace fulcrum::powermode {

struct CustomNvpmodelMode {
  int id = 0;
  std::string name;
  std::map<int, bool> online;           // by CPU
  std::map<int, std::int64_t> cpu_khz;  // by CPU that is online
  std::int64_t gpu_hz = 0;
  std::int64_t emc_hz = 0;
  std::map<std::string, std::int64_t> gating_masks;  // those that hold, by path: others need a reboot
};

// `base` is a model of the catalogue.
std::string custom_nvpmodel_conf(const NvpmodelConf& conf, const NvpmodelConf::Model& base, bool new_kernel,
                                 const CustomNvpmodelMode& mode);

}  // namespace fulcrum::powermode

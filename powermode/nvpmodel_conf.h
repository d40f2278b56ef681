#pragma once
// nvpmodel.conf, NVIDIA's catalogue of power modes, read for its caps and for where the knobs are. What real
// files are like, missing blanks and misspelt names included, is taken; what is not understood is reported,
// and the rest of the file is used.
//
//   < PARAM TYPE=FILE|CLOCK NAME=x >      then lines: ARGUMENT /path
//   < PARAM TYPE=HWMON NAME=x >           then lines: ARGUMENT /directory attribute
//   < POWER_MODEL ID=n NAME=x >           then lines: PARAM ARGUMENT value
//   < PM_CONFIG DEFAULT=n >
//   < FAN_CONFIG DEFAULT=x >
//   # a comment, also behind something

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace fulcrum {

struct NvpmodelConf {
  enum class Type { file, clock, hwmon };

  struct Argument {
    std::string name;       // "MAX_FREQ"; with the suffix _KNEXT it is for kernels from 5.10 on
    std::string path;       // a directory for hwmon
    std::string attribute;  // hwmon only
  };
  struct Param {
    Type type = Type::file;
    std::string name;
    std::vector<Argument> arguments;

    // The argument, or its twin for newer kernels where there is one. Null: there is none.
    const Argument* find(const std::string& argument, bool new_kernel) const;
  };
  struct Setting {
    std::string param;
    std::string argument;
    std::string value;  // of a clock: a whole number, -1 for no cap; CPUs in kHz, all else in Hz
  };
  struct Model {
    int id = 0;
    std::string name;
    std::vector<Setting> settings;  // as they come in the file
  };

  std::vector<Param> params;
  std::vector<Model> models;  // as they come in the file, which is no order of speed
  std::optional<int> default_id;
  std::vector<std::string> remarks;  // what was passed over, each with source:line:column

  const Param* param(const std::string& name) const;
  const Model* model(int id) const;
};

// Every fault that makes the file unusable, each with source:line:column.
[[nodiscard]] tl::expected<NvpmodelConf, std::vector<Error>> parse_nvpmodel_conf(std::string_view text,
                                                                                 const std::string& source);

// What a node of the catalogue turns, by its path: the names of params mean a cluster in one release and a
// core in the next.
enum class NvpmodelKnob {
  cpu_online,
  cpu_max,
  cpu_min,
  gpu_max,
  gpu_min,
  emc_iso_cap,
  emc_clk_cap,
  gating,
  other
};
struct NvpmodelNode {
  NvpmodelKnob knob = NvpmodelKnob::other;
  int cpu = 0;  // of the three that belong to one
};
NvpmodelNode nvpmodel_node(const std::string& path);

// What a model asks for.
struct NvpmodelCaps {
  std::map<int, bool> online;           // by CPU, those that are listed
  std::map<int, std::int64_t> cpu_khz;  // caps, by the CPU in the path; without one: no cap
  std::optional<std::int64_t> gpu_hz;   // none: no cap
  std::optional<std::int64_t> emc_hz;
  // Power gating, by path: it can only be changed before the GPU is used first. A model whose masks are not
  // those that hold needs a reboot.
  std::map<std::string, std::int64_t> gating_masks;
};
NvpmodelCaps nvpmodel_caps(const NvpmodelConf& conf, const NvpmodelConf::Model& model, bool new_kernel);

}  // namespace fulcrum

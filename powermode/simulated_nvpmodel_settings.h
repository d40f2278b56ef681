#pragma once
// The settings of nvpmodel's modes on a simulated board: written to its nodes and read from them as nvpmodel
// does, with its words for what fails.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "powermode/nvpmodel_conf.h"
#include "powermode/simulated_file_tree.h"
#include "powermode/simulated_hardware.h"

namespace fulcrum::powermode {

class NvpmodelSettings {
 public:
  using Setting = NvpmodelConf::Setting;

  // All of them outlive this.
  NvpmodelSettings(SimulatedFileTree& board, const SimulatedHardware::Kernel& kernel,
                   const NvpmodelConf& conf, std::ostream& err);

  // False, none: it failed, and why has been said.
  bool write(const Setting& setting);
  std::optional<std::string> read(const Setting& setting);

  std::string path_of(const Setting& setting) const;  // in the conf: of a sensor it is a directory
  // What the mode asks for; for "no cap" the highest number of the release.
  std::string asked_for(const Setting& setting) const;

 private:
  using Conf = NvpmodelConf;

  // A setting, and what it is for. The parser has passed over settings that are for nothing.
  struct Target {
    const Setting& setting;
    const Conf::Param& param;
    const Conf::Argument& argument;  // of this kernel

    bool is_clock() const { return param.type == Conf::Type::clock; }
    bool is_uncapped() const { return is_clock() && setting.value.front() == '-'; }
  };

  Target target_of(const Setting& setting) const;
  SystemResult<std::string> node_of(const Conf::Argument& argument) const;
  SystemResult<std::string> read_argument(const Conf::Argument& argument) const;
  std::optional<std::vector<std::int64_t>> levels_of(const Target& target);
  std::string value_for(const Target& target, const std::vector<std::int64_t>& levels) const;
  void say_not_read(const Conf::Param& param, const std::string& name, const Conf::Argument& argument,
                    int number);
  void say_not_written(const Target& target, const std::string& value, int number);

  SimulatedFileTree& board_;
  const bool next_paths_;
  const std::string unlimited_;
  const Conf& conf_;
  std::ostream& err_;
};

// What read(2) gives, trimmed.
SystemResult<std::string> read_node_text(const SimulatedFileTree& board, const std::string& path);
// What write(2) gives: 0, or the errno.
int write_node(SimulatedFileTree& board, const std::string& path, std::string_view value);

// Since JetPack 6 it says other things here and there, and counts in 64 bits.
bool nvpmodel_is_of_jetpack_6(const SimulatedHardware::Kernel& kernel);

}  // namespace fulcrum::powermode

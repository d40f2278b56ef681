#pragma once
// The vendor's named power modes on one board, from its own catalogue (nvpmodel.conf) where it has one.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "powermode/board_description.h"
#include "powermode/board_nodes.h"
#include "powermode/file_tree.h"
#include "powermode/nvpmodel_conf.h"
#include "powermode/power_mode.h"

namespace fulcrum {

struct Preset {
  std::string name;
  PowerMode mode;
  std::optional<int> nvpmodel_id;        // in the board's catalogue
  std::vector<std::string> differences;  // in which the preset is more than a power mode can say
  // Power gating by path. It is set before the GPU is used first; later a preset with other masks than those
  // that hold needs a reboot.
  std::map<std::string, std::int64_t> gating_masks;
};

struct PresetCatalogue {
  std::vector<Preset> presets;
  std::optional<NvpmodelConf> conf;  // none: the board has no catalogue, or one that cannot be used
  std::string trouble;               // why not, if there is one
  bool new_kernel = true;            // uses the catalogue's paths for kernels from 5.10 on
};

inline constexpr const char* kNvpmodelConf = "/etc/nvpmodel.conf";

namespace powermode {

PresetCatalogue find_presets(const FileTree& tree, const BoardDescription& description,
                             const KnobNodes& knobs, const BoardLevels& levels);

// Why a preset needs a reboot; empty: it does not.
std::string why_unreachable(const FileTree& tree, const Preset& preset);

// The highest level that a cap allows; the lowest level when it allows none.
template <class T>
T level_below(const std::vector<T>& levels, std::optional<T> cap) {
  if (!cap) return levels.back();
  const auto above = std::upper_bound(levels.begin(), levels.end(), *cap);
  return above == levels.begin() ? levels.front() : *std::prev(above);
}

}  // namespace powermode

}  // namespace fulcrum

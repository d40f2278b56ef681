#pragma once
// Where the sensors of one discovered board are.

#include <string>
#include <vector>

#include "common/error.h"
#include "powermode/board_description.h"
#include "powermode/file_tree.h"

namespace fulcrum::powermode {

// One rail; its power is the product of what the nodes say.
struct RailNodes {
  std::string label;
  std::vector<std::string> factors;
  double watts_per_unit = 0;
};

struct PowerNodes {
  std::vector<RailNodes> rails;    // all that the board has
  std::vector<std::size_t> total;  // of these the board's power is the sum
  Duration averaging_window{};     // see Board::averaging_window()
};

// `unavailable`: the chips, or one of the rails that the board's power consists of, are not there, or not
// yet.
[[nodiscard]] Expected<PowerNodes> find_power(const FileTree& tree, const BoardDescription::Power& power);

// The temperatures (in millidegrees) of the thermal zones that are not to be ignored.
std::vector<std::string> find_temperatures(const FileTree& tree, const BoardDescription::Thermal& thermal);

// A counter of events in which the hardware throttled.
struct ThrottleNode {
  std::string path;
  std::string cause;
  bool momentary = false;  // see BoardDescription::ThrottleCounter
};
std::vector<ThrottleNode> find_throttle_counters(const FileTree& tree,
                                                 const BoardDescription::Throttle& throttle);

// The node that tells the GPU's load in thousandths; empty where there is none.
std::string find_gpu_load(const FileTree& tree, const std::string& gpu_device);

}  // namespace fulcrum::powermode

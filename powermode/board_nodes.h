#pragma once
// Where the knobs of one discovered board are, and what they can be set to.

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"
#include "powermode/board_description.h"
#include "powermode/file_tree.h"

namespace fulcrum {

// The values that each knob takes on this board, ascending.
struct BoardLevels {
  std::vector<int> cpu_cores;
  std::vector<std::int64_t> cpu_khz;  // of the cluster of cpu0
  std::vector<std::int64_t> gpu_hz;
  std::vector<std::int64_t> emc_hz;
};

namespace powermode {

// A pair of limits; the kernel runs the clock between them.
struct RangeNodes {
  std::string min;
  std::string max;
};

struct CpuNode {
  int number = 0;
  std::string online;
};

struct ClusterNodes {
  std::vector<CpuNode> cpus;
  RangeNodes limits;   // there only while one of the CPUs is online
  std::string levels;  // its table, kHz; likewise
};

struct GpuNodes {
  RangeNodes limits;
  std::string levels;     // its table, Hz
  std::string device;     // the directory of the device that the clock belongs to
  std::string rail_gate;  // 1: the GPU is powered off while idle. Empty: the board has no such knob
};

// A board without control of its memory clock has none of these nodes, and one level.
struct EmcNodes {
  std::string cap;                  // Hz
  bool cap_effective = false;       // see BoardDescription::EmcCap
  std::string lock;                 // 1: the rate stays where it is put
  std::vector<std::string> enable;  // 1 while locked
  std::string rate;                 // reads the rate that holds, Hz
  std::string set_rate;             // takes a rate, Hz

  bool controllable() const { return !lock.empty(); }
};

struct KnobNodes {
  std::vector<CpuNode> cpus;           // in the order in which they come online; [0] is never written
  std::vector<ClusterNodes> clusters;  // their CPUs in the same order
  GpuNodes gpu;
  EmcNodes emc;
};

// Each finds its part of the knobs with its levels. `unavailable`: nodes are not there, or not yet.
[[nodiscard]] Expected<void> find_cpus(const FileTree& tree, const BoardDescription::Cpu& cpu,
                                       KnobNodes& knobs, BoardLevels& levels);
[[nodiscard]] Expected<void> find_gpu(const FileTree& tree, const BoardDescription::Gpu& gpu,
                                      KnobNodes& knobs, BoardLevels& levels);
// Says why the memory clock cannot be controlled, if it cannot; empty if it can.
[[nodiscard]] Expected<std::string> find_emc(const FileTree& tree, const BoardDescription::Emc& emc,
                                             KnobNodes& knobs, BoardLevels& levels);

}  // namespace powermode

}  // namespace fulcrum

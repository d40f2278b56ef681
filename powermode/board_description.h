#pragma once
// What is known beforehand of a kind of board, as data (config/boards/*.yaml): where its knobs and sensors
// may be, over all releases of JetPack, and the vendor's presets. Never the values that a knob takes: those
// are read from the board.
//
// A pattern is an absolute path in which * stands for any part of a name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace fulcrum {

struct BoardDescription {
  struct Cpu {
    std::string directory;                   // holds cpuN/ and cpufreq/policyN/
    std::vector<std::vector<int>> clusters;  // CPUs that share a clock, in the order in which they come
                                             // online; cpu0 first. Empty: as the board's cpufreq tells
  };
  struct Gpu {
    std::vector<std::string> of_names;  // parts of the names that GPUs have in the device tree
    std::vector<std::string> devfreq;   // patterns; the first directory that is a GPU's
  };
  struct EmcCap {
    std::string path;        // Hz
    bool effective = false;  // reads the rate that holds, and 0 is the lowest; else as written, 0 for none
  };
  struct EmcClock {
    std::string lock;                 // 1: the rate stays where it is put
    std::vector<std::string> enable;  // 1 while locked; where there
    std::string rate;                 // reads the rate that holds, Hz
    std::string set_rate;             // takes a rate, Hz
    std::string rates_khz;            // lists what the firmware takes; or, where it is empty:
    std::string lowest, highest;      // the ends of the range, Hz
  };
  struct Emc {
    std::vector<EmcCap> caps;  // the first that is there
    std::vector<EmcClock> clocks;
    std::vector<std::string> highest;  // nodes that tell the highest rate, on boards without the above
    std::int64_t assumed_hz = 0;  // what it is taken for where none of them tells; 0: the board is blocked
  };
  struct PowerChip {
    enum class Kind {
      hwmon,        // inK_label, inK_input (mV), currK_input (mA)
      hwmon_power,  // powerK_label or inK_label, powerK_input (uW)
      iio,          // rail_name_K, in_powerK_input (mW)
    };
    Kind kind = Kind::hwmon;
    std::string directory;  // pattern
  };
  struct Power {
    std::vector<PowerChip> chips;
    // The board's power is that of the first of the rails `input` that it has; without one the sum of the
    // rails `sum`, none of which may be missing, or of all.
    std::vector<std::string> input;
    std::vector<std::string> sum;
    bool sum_of_all = false;
    Duration averaging_window{};  // a reading tells of no time further before it, unless the chip says so
    // About what the board draws idle in its lowest mode, and under load in its highest: where a search
    // begins. Nothing is limited by it.
    double idle_w = 0;
    double most_w = 0;
  };
  struct Thermal {
    std::string directory;            // holds thermal_zone*/{type,temp}
    std::vector<std::string> ignore;  // types of zones that do not tell how hot the board is
  };
  struct ThrottleCounter {
    std::string node;        // counts events since boot
    std::string cause;       // for people
    bool momentary = false;  // it is common in the highest modes, and a part of what they are
  };
  struct Throttle {
    std::string hwmon;  // pattern of directories
    std::vector<ThrottleCounter> counters;
  };
  struct Preset {
    std::string name;
    std::optional<int> cpu_cores;  // caps; none: as high as the board goes
    std::optional<std::int64_t> cpu_khz, gpu_hz, emc_hz;
  };

  std::string id;
  std::string name;
  std::vector<std::string> matches;  // an entry of the device tree's `compatible` contains one of these
  std::string read_only;             // why its knobs are not turned; empty: they are
  Cpu cpu;
  Gpu gpu;
  Emc emc;
  Power power;
  Thermal thermal;
  Throttle throttle;
  std::vector<Preset> presets;  // where the board has no catalogue of its own
};

// `source` names the text in messages, which begin with source:line:column. What the text leaves out is as
// `base` has it; id, name, matches and presets are its own.
[[nodiscard]] Expected<BoardDescription> parse_board_description(std::string_view yaml,
                                                                 const std::string& source,
                                                                 const BoardDescription& base = {});

}  // namespace fulcrum

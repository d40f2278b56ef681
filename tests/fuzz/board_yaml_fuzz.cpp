// The data files of a board (config/boards): its description, what simulates it, and the workloads it can
// run.

#include <algorithm>
#include <set>
#include <string>

#include "powermode/board_description.h"
#include "powermode/simulated_hardware.h"
#include "powermode/simulated_workloads.h"
#include "tests/fuzz/promise.h"

namespace {

using namespace fulcrum;
using fuzz::promise;
using powermode::SimulatedHardware;

const std::string kSource = "board.yaml";

void check_refusal(const Error& error) {
  promise(error.message.rfind(kSource + ":", 0) == 0, "a refusal says in which file");
}

void check_clusters(const std::vector<std::vector<int>>& clusters) {
  std::set<int> cpus;
  for (const auto& cluster : clusters) {
    promise(!cluster.empty(), "a cluster has CPUs");
    for (const int cpu : cluster)
      promise(cpu >= 0 && cpus.insert(cpu).second, "each CPU is in one cluster");
  }
  promise(!clusters.empty() && clusters.front().front() == 0, "cpu0 comes first");
  promise(*cpus.rbegin() + 1 == static_cast<int>(cpus.size()), "no CPU is left out");
}

void check_levels(const std::vector<std::int64_t>& levels) {
  promise(!levels.empty() && levels.front() > 0, "a clock has levels, all above 0");
  promise(std::is_sorted(levels.begin(), levels.end(), std::less_equal<>()), "levels ascend");
}

void check_description(const BoardDescription& board) {
  if (!board.cpu.clusters.empty()) check_clusters(board.cpu.clusters);
  promise(!board.gpu.devfreq.empty() && !board.power.chips.empty(), "a board has a GPU and sensors");
  promise(board.power.averaging_window > Duration::zero(), "the averaging window is above 0");
  promise(!board.power.input.empty() || !board.power.sum.empty() || board.power.sum_of_all,
          "it is known what the board's power is");
  std::set<std::string> names;
  for (const auto& preset : board.presets)
    promise(names.insert(preset.name).second, "presets have different names");
}

void check_hardware(const SimulatedHardware& hardware) {
  check_clusters(hardware.cpu.clusters);
  check_levels(hardware.cpu.levels_khz);
  check_levels(hardware.gpu.levels_hz);
  check_levels(hardware.emc.levels_hz);
  promise(hardware.sensor_window > Duration::zero(), "the sensors' window is above 0");
  for (const auto& chip : hardware.chips)
    promise(!chip.channels.empty() && chip.channels.size() <= 3, "a chip has channels");
}

void check_workloads(const SimulatedWorkloads& workloads) {
  const PowerMode mode{12, 2201600, 1300500000, 3199000000};
  promise(!workloads.class_names().empty(), "there are classes");
  promise(workloads.idle_power_w(mode) >= 0, "power is not negative");
  for (const auto& name : workloads.class_names()) {
    for (const auto task : {WorkloadTask::training, WorkloadTask::inference}) {
      const auto time_ms = workloads.step_time_ms(name, task, 16, mode);
      if (!time_ms) fuzz::promise_reason(time_ms.error());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto board = parse_board_description(text, kSource);
  board ? check_description(*board) : check_refusal(board.error());
  const auto hardware = SimulatedHardware::parse(text, kSource);
  hardware ? check_hardware(*hardware) : check_refusal(hardware.error());
  const auto workloads = SimulatedWorkloads::parse(text, kSource);
  workloads ? check_workloads(*workloads) : check_refusal(workloads.error());
  return 0;
}

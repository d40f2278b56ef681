#include "powermode/board_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "powermode/node_paths.h"
#include "powermode/node_text.h"

namespace fulcrum::powermode {

namespace {

constexpr int kMostCpus = 1024;

Unexpected missing(const std::string& what, const std::string& path) {
  return fail(ErrorCode::unavailable, fmt::format("this board has no {}: '{}' is not there", what, path),
              "is the board's own kernel running, and its driver loaded?");
}

Expected<void> need(const FileTree& tree, const std::string& what, const std::string& path) {
  if (!tree.exists(path)) return missing(what, path);
  return {};
}

// ---- CPUs ----

std::string cpu_directory(const BoardDescription::Cpu& cpu, int number) {
  return fmt::format("{}/cpu{}", cpu.directory, number);
}

// A CPU of the description that this variant of the board does not have is no part of its cluster.
std::vector<std::vector<int>> described_clusters(const FileTree& tree, const BoardDescription::Cpu& cpu) {
  std::vector<std::vector<int>> clusters;
  for (const auto& described : cpu.clusters) {
    std::vector<int> present;
    std::copy_if(described.begin(), described.end(), std::back_inserter(present),
                 [&](int number) { return tree.exists(cpu_directory(cpu, number)); });
    if (!present.empty()) clusters.push_back(std::move(present));
  }
  return clusters;
}

// As cpufreq tells, which tells of CPUs that are online; others are left alone.
std::vector<std::vector<int>> discovered_clusters(const FileTree& tree, const BoardDescription::Cpu& cpu) {
  std::vector<std::vector<int>> clusters;
  for (int number = 0; number < kMostCpus && tree.exists(cpu_directory(cpu, number)); ++number) {
    const auto related = read_text(tree, cpu_directory(cpu, number) + "/cpufreq/related_cpus");
    if (!related) continue;
    std::vector<int> cluster;
    for (const auto value : numbers_in(*related)) {
      if (value < kMostCpus) cluster.push_back(static_cast<int>(value));
    }
    // A cluster is told of by each of its CPUs that is online.
    const bool seen = std::any_of(clusters.begin(), clusters.end(), [number](const auto& other) {
      return std::find(other.begin(), other.end(), number) != other.end();
    });
    if (!cluster.empty() && !seen) clusters.push_back(std::move(cluster));
  }
  return clusters;
}

// A policy is named after the CPU of the cluster that came online first.
std::string policy_of(const FileTree& tree, const BoardDescription::Cpu& cpu,
                      const std::vector<int>& cluster) {
  const auto named_after = [&](int number) {
    return fmt::format("{}/cpufreq/policy{}", cpu.directory, number);
  };
  for (const int number : cluster) {
    if (tree.exists(named_after(number))) return named_after(number);
  }
  return named_after(cluster.front());
}

Expected<ClusterNodes> find_cluster(const FileTree& tree, const BoardDescription::Cpu& cpu,
                                    const std::vector<int>& cluster) {
  ClusterNodes nodes;
  for (const int number : cluster) {
    nodes.cpus.push_back({number, cpu_directory(cpu, number) + "/online"});
    // Kernels that cannot take cpu0 offline have no such node for it.
    if (number != 0)
      FULCRUM_TRY(need(tree, fmt::format("control of CPU {}", number), nodes.cpus.back().online));
  }
  const auto policy = policy_of(tree, cpu, cluster);
  nodes.limits = {policy + "/scaling_min_freq", policy + "/scaling_max_freq"};
  nodes.levels = policy + "/scaling_available_frequencies";
  return nodes;
}

// ---- GPU ----

// NUL-terminated; the link to the device is the devfreq directory's own.
bool is_gpu(const FileTree& tree, const std::string& devfreq, const std::vector<std::string>& of_names) {
  const auto name = read_text(tree, devfreq + "/device/of_node/name");
  return name && std::any_of(of_names.begin(), of_names.end(),
                             [&](const std::string& part) { return name->find(part) != std::string::npos; });
}

// A pattern may find any device's clock; a path that is spelt out is the GPU's.
std::string find_devfreq(const FileTree& tree, const BoardDescription::Gpu& gpu) {
  for (const auto& pattern : gpu.devfreq) {
    const bool certain = pattern.find('*') == std::string::npos;
    for (const auto& directory : expand(tree, pattern)) {
      if (!tree.exists(directory + "/available_frequencies")) continue;
      if (certain || is_gpu(tree, directory, gpu.of_names)) return follow_link(tree, directory);
    }
  }
  return {};
}

// ---- memory ----

Expected<std::vector<std::int64_t>> emc_levels(const FileTree& tree,
                                               const BoardDescription::EmcClock& clock) {
  if (clock.rates_khz.empty()) {
    FULCRUM_TRY_ASSIGN(lowest, read_number(tree, clock.lowest));
    FULCRUM_TRY_ASSIGN(highest, read_number(tree, clock.highest));
    if (lowest <= 0 || lowest >= highest) {
      return fail(ErrorCode::corrupt,
                  fmt::format("'{}' and '{}' say that the memory clock goes from {} to {}", clock.lowest,
                              clock.highest, lowest, highest));
    }
    return std::vector<std::int64_t>{lowest, highest};
  }
  FULCRUM_TRY_ASSIGN(levels_khz, read_numbers(tree, clock.rates_khz));
  constexpr std::int64_t kMostKhz = 1'000'000'000;
  if (levels_khz.back() > kMostKhz)
    return fail(ErrorCode::corrupt, fmt::format("'{}' lists {} kHz", clock.rates_khz, levels_khz.back()));
  for (auto& level : levels_khz)
    level *= 1000;
  return levels_khz;
}

// Why a clock cannot be controlled through these nodes; empty: it can.
std::string missing_of(const FileTree& tree, const BoardDescription::EmcClock& clock) {
  for (const auto* path :
       {&clock.lock, &clock.rate, &clock.set_rate, &clock.rates_khz, &clock.lowest, &clock.highest}) {
    if (!path->empty() && !tree.exists(*path)) return fmt::format("'{}' is not there", *path);
  }
  return {};
}

Expected<std::string> fix_emc(const FileTree& tree, const BoardDescription::Emc& emc, BoardLevels& levels,
                              std::string why_not) {
  const auto path = first_present(tree, emc.highest);
  if (path.empty() && emc.assumed_hz > 0) {
    levels.emc_hz = {emc.assumed_hz};
    return why_not;
  }
  if (path.empty()) {
    return fail(ErrorCode::unavailable,
                fmt::format("this board has no memory clock: {}, and neither is '{}'", why_not,
                            fmt::join(emc.highest, "' or '")),
                "is debugfs mounted at /sys/kernel/debug, and may this user read it?");
  }
  FULCRUM_TRY_ASSIGN(hz, read_number(tree, path));
  if (hz <= 0) return fail(ErrorCode::corrupt, fmt::format("'{}' says {} Hz", path, hz));
  levels.emc_hz = {hz};
  return why_not;
}

}  // namespace

Expected<void> find_cpus(const FileTree& tree, const BoardDescription::Cpu& cpu, KnobNodes& knobs,
                         BoardLevels& levels) {
  const auto clusters = cpu.clusters.empty() ? discovered_clusters(tree, cpu) : described_clusters(tree, cpu);
  if (clusters.empty() || clusters.front().front() != 0)
    return missing("CPU frequency control", cpu_directory(cpu, 0) + "/cpufreq");
  for (const auto& cluster : clusters) {
    FULCRUM_TRY_ASSIGN(nodes, find_cluster(tree, cpu, cluster));
    knobs.cpus.insert(knobs.cpus.end(), nodes.cpus.begin(), nodes.cpus.end());
    knobs.clusters.push_back(std::move(nodes));
  }
  const auto& first = knobs.clusters.front();
  for (const auto* path : {&first.limits.min, &first.limits.max, &first.levels})
    FULCRUM_TRY(need(tree, "CPU frequency control", *path));
  FULCRUM_TRY_ASSIGN(khz, read_numbers(tree, first.levels));
  levels.cpu_khz = std::move(khz);
  levels.cpu_cores.resize(knobs.cpus.size());
  std::iota(levels.cpu_cores.begin(), levels.cpu_cores.end(), 1);
  return {};
}

Expected<void> find_gpu(const FileTree& tree, const BoardDescription::Gpu& gpu, KnobNodes& knobs,
                        BoardLevels& levels) {
  const auto directory = find_devfreq(tree, gpu);
  if (directory.empty())
    return missing("GPU frequency control", fmt::format("{}", fmt::join(gpu.devfreq, "', '")));
  GpuNodes nodes{
      {directory + "/min_freq", directory + "/max_freq"}, directory + "/available_frequencies", {}, {}};
  FULCRUM_TRY(need(tree, "GPU frequency limits", nodes.limits.min));
  FULCRUM_TRY(need(tree, "GPU frequency limits", nodes.limits.max));
  nodes.device = follow_link(tree, directory + "/device");
  const auto rail_gate = nodes.device + "/railgate_enable";
  if (tree.exists(rail_gate)) nodes.rail_gate = rail_gate;
  FULCRUM_TRY_ASSIGN(hz, read_numbers(tree, nodes.levels));
  levels.gpu_hz = std::move(hz);
  knobs.gpu = std::move(nodes);
  return {};
}

Expected<std::string> find_emc(const FileTree& tree, const BoardDescription::Emc& emc, KnobNodes& knobs,
                               BoardLevels& levels) {
  std::string why_not;
  const auto cap = std::find_if(emc.caps.begin(), emc.caps.end(),
                                [&](const auto& candidate) { return tree.exists(candidate.path); });
  if (cap == emc.caps.end()) why_not = fmt::format("'{}' is not there", emc.caps.back().path);
  for (const auto& clock : emc.clocks) {
    if (const auto not_there = missing_of(tree, clock); !not_there.empty() || cap == emc.caps.end()) {
      if (why_not.empty()) why_not = not_there;
      continue;
    }
    FULCRUM_TRY_ASSIGN(hz, emc_levels(tree, clock));
    levels.emc_hz = std::move(hz);
    knobs.emc = {cap->path, cap->effective, clock.lock, {}, clock.rate, clock.set_rate};
    std::copy_if(clock.enable.begin(), clock.enable.end(), std::back_inserter(knobs.emc.enable),
                 [&](const std::string& path) { return tree.exists(path); });
    return std::string();
  }
  return fix_emc(tree, emc, levels, std::move(why_not));
}

}  // namespace fulcrum::powermode

#include "powermode/knob_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "powermode/node_text.h"
#include "powermode/presets.h"

namespace fulcrum::powermode {

Expected<bool> KnobWriter::any_online(const ClusterNodes& cluster) const {
  for (const auto& cpu : cluster.cpus) {
    if (cpu.number == 0) return true;
    FULCRUM_TRY_ASSIGN(state, read_text(tree_, cpu.online));
    if (state == "1") return true;
  }
  return false;
}

Expected<void> KnobWriter::take(KnobValues& values, const std::string& path) const {
  FULCRUM_TRY_ASSIGN(value, read_text(tree_, path));
  values.set(path, std::move(value));
  return {};
}

Expected<KnobValues> KnobWriter::read_cpu_limits() const {
  KnobValues values;
  for (const auto& cluster : nodes_.clusters) {
    FULCRUM_TRY_ASSIGN(online, any_online(cluster));
    if (!online) continue;
    FULCRUM_TRY(take(values, cluster.limits.min));
    FULCRUM_TRY(take(values, cluster.limits.max));
  }
  return values;
}

Expected<KnobValues> KnobWriter::read() const {
  FULCRUM_TRY_ASSIGN(values, read_cpu_limits());
  for (std::size_t i = 1; i < nodes_.cpus.size(); ++i)
    FULCRUM_TRY(take(values, nodes_.cpus[i].online));
  FULCRUM_TRY(take(values, nodes_.gpu.limits.min));
  FULCRUM_TRY(take(values, nodes_.gpu.limits.max));
  if (!nodes_.gpu.rail_gate.empty()) FULCRUM_TRY(take(values, nodes_.gpu.rail_gate));
  const auto& emc = nodes_.emc;
  if (!emc.controllable()) return values;
  FULCRUM_TRY(take(values, emc.cap));
  FULCRUM_TRY(take(values, emc.lock));
  for (const auto& path : emc.enable)
    FULCRUM_TRY(take(values, path));
  if (values.find(emc.lock) != "1") return values;
  FULCRUM_TRY_ASSIGN(rate, read_text(tree_, emc.rate));
  values.set(emc.set_rate, std::move(rate));
  return values;
}

Expected<void> KnobWriter::set(const std::string& path, const std::string& value) {
  return set(path, value, path);
}

Expected<void> KnobWriter::set(const std::string& path, const std::string& value,
                               const std::string& read_path) {
  FULCRUM_TRY_ASSIGN(before, read_text(tree_, read_path));
  if (before == value) return {};
  const std::string doing = fmt::format("setting '{}' to {}", path, value);
  if (auto written = tree_.write(path, value); !written) return in_context(std::move(written).error(), doing);
  auto after = read_text(tree_, read_path);
  if (!after) return in_context(std::move(after).error(), doing);
  if (*after != value) {
    return fail(ErrorCode::unavailable, fmt::format("'{}' was set to {} but reads {}", path, value, *after),
                "the board's firmware or another program (nvpmodel, jetson_clocks) limits it");
  }
  return {};
}

Expected<void> KnobWriter::bring_online(int cpu_cores) {
  for (std::size_t i = 1; i < static_cast<std::size_t>(cpu_cores); ++i)
    FULCRUM_TRY(set(nodes_.cpus[i].online, "1"));
  return {};
}

Expected<void> KnobWriter::take_offline(int cpu_cores) {
  for (std::size_t i = nodes_.cpus.size() - 1; i >= static_cast<std::size_t>(cpu_cores); --i)
    FULCRUM_TRY(set(nodes_.cpus[i].online, "0"));
  return {};
}

Expected<void> KnobWriter::lower(const RangeNodes& range, std::int64_t lowest) {
  FULCRUM_TRY_ASSIGN(min, read_number(tree_, range.min));
  if (min <= lowest) return {};
  return set(range.min, std::to_string(lowest));
}

Expected<void> KnobWriter::loosen() {
  for (const auto& cluster : nodes_.clusters) {
    FULCRUM_TRY_ASSIGN(online, any_online(cluster));
    if (!online) continue;
    FULCRUM_TRY_ASSIGN(levels, read_numbers(tree_, cluster.levels));
    FULCRUM_TRY(lower(cluster.limits, levels.front()));
  }
  FULCRUM_TRY(lower(nodes_.gpu.limits, board_.levels().gpu_hz.front()));
  if (!nodes_.emc.controllable()) return {};
  return set(nodes_.emc.lock, "0");
}

// As jetson_clocks does: the cap, with the minimum raised to it, is the operating point.
Expected<void> KnobWriter::pin(const RangeNodes& range, std::int64_t value) {
  const std::string text = std::to_string(value);
  FULCRUM_TRY_ASSIGN(min, read_number(tree_, range.min));
  // The minimum goes first only where the maximum would otherwise pass below it.
  if (min > value) FULCRUM_TRY(set(range.min, text));
  FULCRUM_TRY(set(range.max, text));
  return set(range.min, text);
}

// Clusters may have tables of their own; each goes as high as its table does below the mode's clock.
Expected<void> KnobWriter::pin_cluster(const ClusterNodes& cluster, std::int64_t khz) {
  if (&cluster == &nodes_.clusters.front()) return pin(cluster.limits, khz);
  FULCRUM_TRY_ASSIGN(levels, read_numbers(tree_, cluster.levels));
  return pin(cluster.limits, level_below<std::int64_t>(levels, khz));
}

// The cap must never cut the rate that is asked for: it goes first when raising, last when lowering.
Expected<void> KnobWriter::pin_emc(std::int64_t rate_hz) {
  const auto& emc = nodes_.emc;
  if (!emc.controllable()) return {};
  const std::string text = std::to_string(rate_hz);
  FULCRUM_TRY_ASSIGN(cap_text, read_text(tree_, emc.cap));
  const auto cap = parse_number(cap_text);
  const bool raising = cap && *cap < rate_hz && (*cap > 0 || emc.cap_effective);
  if (raising) FULCRUM_TRY(set(emc.cap, text));
  FULCRUM_TRY(set(emc.lock, "1"));
  for (const auto& path : emc.enable)
    FULCRUM_TRY(set(path, "1"));
  FULCRUM_TRY(set(emc.set_rate, text, emc.rate));
  return set(emc.cap, text);
}

Expected<void> KnobWriter::set_limits(const PowerMode& mode) {
  auto left = static_cast<std::size_t>(mode.cpu_cores);
  for (const auto& cluster : nodes_.clusters) {
    if (left > 0) FULCRUM_TRY(pin_cluster(cluster, mode.cpu_khz));
    left -= std::min(left, cluster.cpus.size());
  }
  // A GPU that is powered off while idle has to be woken for a request.
  if (!nodes_.gpu.rail_gate.empty()) FULCRUM_TRY(set(nodes_.gpu.rail_gate, "0"));
  FULCRUM_TRY(pin(nodes_.gpu.limits, mode.gpu_hz));
  FULCRUM_TRY(pin_emc(mode.emc_hz));
  FULCRUM_TRY(take_offline(mode.cpu_cores));
  FULCRUM_TRY_ASSIGN(now, board_.read_mode());
  if (now != mode) {
    return fail(ErrorCode::unavailable,
                fmt::format("the board was set to '{}' but is in '{}'", mode.to_string(), now.to_string()),
                "another program changes its knobs");
  }
  return {};
}

}  // namespace fulcrum::powermode

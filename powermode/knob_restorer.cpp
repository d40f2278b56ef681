// KnobWriter::restore. Nothing is skipped because it seems to be right already, and nothing stops at a
// failure: each saved knob is written and read back, and what came of it is told.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "powermode/knob_writer.h"
#include "powermode/node_text.h"

namespace fulcrum::powermode {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

class KnobWriter::Restorer {
 public:
  Restorer(KnobWriter& writer, const KnobValues& values)
      : tree_(writer.tree_), nodes_(writer.nodes_), levels_(writer.board_.levels()), values_(values) {}

  RestoreReport run() {
    bring_online();
    for (const auto& cluster : nodes_.clusters)
      restore_range(cluster.limits, levels_.cpu_khz.front());
    restore_range(nodes_.gpu.limits, levels_.gpu_hz.front());
    restore(nodes_.gpu.rail_gate);
    restore_emc();
    take_offline();
    report_strangers();
    return std::move(report_);
  }

 private:
  // Writes, reads back, and reports.
  void restore(const std::string& path) { restore(path, path); }

  // ... where what holds is read elsewhere.
  void restore(const std::string& path, const std::string& read_path) {
    const auto wanted = values_.find(path);
    if (!wanted) return;
    const auto written = tree_.write(path, *wanted);
    const auto found = read_text(tree_, read_path);
    std::string error;
    if (!written) {
      error = written.error().to_string();
    } else if (!found) {
      error = found.error().to_string();
    } else if (*found != *wanted) {
      error = "it did not take the value";
    }
    report_.knobs.push_back({path, *wanted, found.value_or(""), std::move(error)});
  }

  void skip(const std::string& path, std::string why) {
    const auto wanted = values_.find(path);
    if (!wanted) return;
    report_.knobs.push_back({path, *wanted, read_text(tree_, path).value_or(""), std::move(why)});
  }

  // A cluster whose limits are to be restored needs a CPU online, even if all of them are to be offline in
  // the end.
  void bring_online() {
    for (const auto& cluster : nodes_.clusters) {
      bool any = false;
      for (const auto& cpu : cluster.cpus) {
        any = any || cpu.number == 0;
        if (cpu.number == 0 || values_.find(cpu.online) != "1") continue;
        restore(cpu.online);
        any = any || report_.knobs.back().error.empty();
      }
      if (any || !values_.find(cluster.limits.max)) continue;
      for (const auto& cpu : cluster.cpus) {
        if (put(cpu.online, 1) == 1) break;
      }
    }
  }

  void take_offline() {
    for (std::size_t i = nodes_.cpus.size() - 1; i > 0; --i) {
      const auto value = values_.find(nodes_.cpus[i].online);
      if (value && value != "1") restore(nodes_.cpus[i].online);
    }
  }

  // Widen, then narrow: the minimum to the bottom, the maximum to its value, the minimum to its value. A
  // limit that would cross the other (which then did not take its value) is left alone.
  void restore_range(const RangeNodes& range, std::int64_t lowest) {
    if (!values_.find(range.min) || !values_.find(range.max)) {
      skip(range.min, "the saved limits are not a pair");
      skip(range.max, "the saved limits are not a pair");
      return;
    }
    const auto wanted_min = parse_number(*values_.find(range.min));
    auto wanted_max = parse_number(*values_.find(range.max));
    if (wanted_max && *wanted_max == 0) wanted_max = kNoLimit;  // so it is to devfreq
    if (!wanted_min || !wanted_max || *wanted_min > *wanted_max) {
      skip(range.max, "the saved limits are no range");
      skip(range.min, "the saved limits are no range");
      return;
    }
    const auto min = put(range.min, std::min(lowest, *wanted_min));
    if (!min) {
      skip(range.max, "not written: the minimum can be neither read nor written");
    } else if (*min <= *wanted_max) {
      restore(range.max);
    } else {
      skip(range.max, "not written: it would pass below the minimum");
    }
    const auto max = read_number(tree_, range.max);
    if (max ? *max == 0 || *max >= *wanted_min : report_.knobs.back().error.empty()) {
      restore(range.min);
    } else {
      skip(range.min, "not written: it would pass above the maximum");
    }
  }

  void restore_emc() {
    const auto& emc = nodes_.emc;
    if (!emc.controllable()) return;
    const bool locked = values_.find(emc.lock) == "1";
    if (locked) put(emc.cap, levels_.emc_hz.back());
    restore(emc.lock);
    for (const auto& path : emc.enable)
      restore(path);
    if (locked) restore(emc.set_rate, emc.rate);
    restore(emc.cap);
  }

  // Writes without reporting. What the knob then says; if it does not say, what it was told, if it took that.
  std::optional<std::int64_t> put(const std::string& path, std::int64_t value) {
    const auto written = tree_.write(path, std::to_string(value));
    if (const auto found = read_number(tree_, path)) return *found;
    return written ? std::optional(value) : std::nullopt;
  }

  void report_strangers() {
    for (const auto& entry : values_.entries()) {
      if (entry.path == nodes_.emc.set_rate) continue;  // no knob while it is not locked
      const bool told = std::any_of(report_.knobs.begin(), report_.knobs.end(),
                                    [&](const RestoreReport::Knob& knob) { return knob.path == entry.path; });
      if (!told) report_.knobs.push_back({entry.path, entry.value, "", "it is no knob of this board"});
    }
  }

  FileTree& tree_;
  const KnobNodes& nodes_;
  const BoardLevels& levels_;
  const KnobValues& values_;
  RestoreReport report_;
};

RestoreReport KnobWriter::restore(const KnobValues& values) {
  return Restorer(*this, values).run();
}

}  // namespace fulcrum::powermode

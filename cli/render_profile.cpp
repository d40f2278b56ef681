// Stored profiles as people read them.

#include <fmt/format.h>

#include <string>
#include <tuple>

#include "cli/render.h"
#include "cli/render_parts.h"

namespace fulcrum::cli {

namespace {

// Whose profiles they are: those that stand together in the answer share a table.
struct Owner {
  std::string workload;
  std::string task;
  std::string board;

  explicit Owner(const Json& profile)
      : workload(text_in(profile, "workload")),
        task(text_in(profile, "task")),
        board(text_in(profile, "board")) {}
  friend bool operator==(const Owner& a, const Owner& b) {
    return std::tie(a.workload, a.task, a.board) == std::tie(b.workload, b.task, b.board);
  }
  std::string to_string() const {
    return fmt::format("workload {}  {}{}\n", workload.empty() ? "?" : workload, task,
                       board.empty() ? "" : " on " + board);
  }
};

Table titled() {
  Table table;
  table.add({"CORES", "CPU", "GPU", "EMC", "BATCH", "P50", "P99", "POWER", "PROBES", "MEASURED"});
  return table;
}

void add_profile(Table& table, const Json& profile) {
  const Json& mode = object_in(profile, "mode");
  const Json& time = object_in(profile, "time_ms");
  table.add({number_text(mode, "cpu_cores", "{:.0f}"), number_text(mode, "cpu_khz", "{:.0f} MHz", 1e-3),
             number_text(mode, "gpu_hz", "{:.0f} MHz", 1e-6), number_text(mode, "emc_hz", "{:.0f} MHz", 1e-6),
             number_text(profile, "batch_size", "{:.0f}"), number_text(time, "p50", "{:.2f} ms"),
             number_text(time, "p99", "{:.2f} ms"), number_text(profile, "power_w", "{:.1f} W"),
             number_text(profile, "measurements", "{:.0f}"), time_text(profile, "measured_at_ms")});
}

}  // namespace

std::string render_profiles(const Json& answer) {
  const Json& profiles = list_in(answer, "profiles");
  if (profiles.empty()) return "no profiles\n";
  std::string text;
  for (std::size_t i = 0; i < profiles.size();) {
    const Owner owner(profiles[i]);
    Table table = titled();
    for (; i < profiles.size() && Owner(profiles[i]) == owner; ++i)
      add_profile(table, profiles[i]);
    text += (text.empty() ? "" : "\n") + owner.to_string() + table.to_string();
  }
  return text;
}

}  // namespace fulcrum::cli

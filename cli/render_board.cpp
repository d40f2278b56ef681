// The board as people read it: its state, its presets, its sensors, and what is wrong with it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "cli/render.h"
#include "cli/render_parts.h"
#include "powermode/board_parts.h"
#include "powermode/presets.h"

namespace fulcrum::cli {

namespace {

constexpr double kMhzPerKhz = 1e-3;
constexpr double kMhzPerHz = 1e-6;
constexpr double kGibPerByte = 1.0 / (1 << 30);

bool is_true(const Json& object, const char* name) {
  return object.is_object() && object.value(name, Json()) == true;
}

// "NVIDIA Jetson AGX Orin (agx-orin)"
std::string titled(const Json& board) {
  const auto name = text_in(board, "name");
  auto id = text_in(board, "id");
  if (name.empty()) return id;
  return id.empty() ? name : fmt::format("{} ({})", name, id);
}

std::string board_text(const Json& board) {
  auto title = titled(board);
  if (title.empty() || !board.contains("simulated")) return title;
  return title + (is_true(board, "simulated") ? ", simulated" : ", real");
}

void add_rails(Table& table, const Json& power) {
  for (const auto& rail : list_in(power, "rails"))
    add_row(table, "  " + text_in(rail, "name"), number_text(rail, "w", "{:.2f} W"));
}

// What a node says, or why it says nothing.
void add_reading(Table& table, const Json& answer, const char* name, const char* key,
                 const std::string& says) {
  const auto error = text_in(object_in(answer, "errors"), key);
  if (error.empty()) return add_row(table, name, says);
  add_paragraph(table, name, "cannot be read: " + error);
}

// What is known of the time since the knobs were taken is told with how long that was.
std::string draws_text(const Json& board) {
  std::vector<std::string> held;
  add_number(held, board, "mean_power_w", "{:.2f} W mean");
  add_number(held, board, "peak_power_w", "{:.2f} W peak");
  std::vector<std::string> draws;
  add_number(draws, object_in(board, "power"), "total_w", "{:.2f} W now");
  if (!held.empty())
    draws.push_back(joined(held, ", ") + number_text(board, "energy_s", " in {:.0f} s with jobs"));
  return joined(draws, "; ");
}

std::string knobs_text(const Json& board) {
  if (const auto why = text_in(board, "read_only"); !why.empty()) return "read only: " + why;
  std::vector<std::string> parts;
  if (board.is_object() && board.contains("lease_held"))
    parts.emplace_back(is_true(board, "lease_held") ? "held by fulcrumd" : "not held");
  if (const auto apply = text_in(board, "apply"); !apply.empty()) parts.push_back("set through " + apply);
  return joined(parts, ", ");
}

// "29 levels from 115 to 2202 MHz"
std::string levels_text(const Json& levels, const char* name, double scale) {
  std::vector<double> mhz;
  for (const auto& level : list_in(levels, name)) {
    if (level.is_number()) mhz.push_back(level.get<double>() * scale);
  }
  if (mhz.empty()) return {};
  if (mhz.size() == 1) return fmt::format("{:.0f} MHz, no other", mhz.front());
  return fmt::format("{} levels from {:.0f} to {:.0f} MHz", mhz.size(), mhz.front(), mhz.back());
}

void add_levels(Table& table, const Json& levels) {
  const Json& cores = list_in(levels, "cpu_cores");
  if (!cores.empty() && cores.front().is_number() && cores.back().is_number())
    add_row(table, "  cores",
            fmt::format("{:.0f} to {:.0f}", cores.front().get<double>(), cores.back().get<double>()));
  add_row(table, "  CPU", levels_text(levels, "cpu_khz", kMhzPerKhz));
  add_row(table, "  GPU", levels_text(levels, "gpu_hz", kMhzPerHz));
  add_row(table, "  EMC", levels_text(levels, "emc_hz", kMhzPerHz));
}

std::string preset_names(const Json& board) {
  std::vector<std::string> names;
  for (const auto& preset : list_in(board, "presets"))
    names.push_back(text_in(preset, "name"));
  return names.empty() ? std::string() : joined(names, ", ") + " (more: 'fulcrumctl board modes')";
}

// ---- modes ----

std::string marks_of(const Json& preset) {
  std::vector<std::string> marks;
  if (is_true(preset, "active")) marks.emplace_back("active");
  if (is_true(preset, "requested")) marks.emplace_back("requested");
  if (!text_in(preset, "needs_reboot").empty()) marks.emplace_back("needs a reboot");
  return joined(marks, ", ");
}

std::string presets_table(const Json& presets) {
  Table table;
  table.add({"PRESET", "ID", "CORES", "CPU", "GPU", "EMC", "STATE"});
  for (const auto& preset : presets) {
    const Json& mode = object_in(preset, "mode");
    const auto id = number_text(preset, "nvpmodel_id", "{:.0f}");
    table.add({text_in(preset, "name"), id.empty() ? "-" : id, number_text(mode, "cpu_cores", "{:.0f}"),
               number_text(mode, "cpu_khz", "{:.0f} MHz", kMhzPerKhz),
               number_text(mode, "gpu_hz", "{:.0f} MHz", kMhzPerHz),
               number_text(mode, "emc_hz", "{:.0f} MHz", kMhzPerHz), marks_of(preset)});
  }
  return "\n" + table.to_string();
}

std::string source_of_presets(const Json& modes) {
  if (is_true(modes, "from_catalogue"))
    return fmt::format("as the board's own catalogue has them, '{}'", kNvpmodelConf);
  const auto trouble = text_in(modes, "catalogue_trouble");
  const std::string known = list_in(modes, "presets").empty() ? "none" : "as such boards are delivered";
  return trouble.empty() ? fmt::format("{}; this board has no '{}'", known, kNvpmodelConf)
                         : fmt::format("{}; the board's own catalogue cannot be used: {}", known, trouble);
}

// nvpmodel tells what it was asked for, which need not be what holds.
std::string drift_text(const Json& modes) {
  for (const auto& preset : list_in(modes, "presets")) {
    if (!is_true(preset, "requested") || is_true(preset, "active")) continue;
    const std::string told =
        fmt::format("was last told to set {}, which the board is not in", text_in(preset, "name"));
    if (is_true(modes, "lease_held")) return told + ": fulcrumd has set it otherwise while it has jobs";
    return told + (text_in(preset, "needs_reboot").empty() ? ": another program has changed the clocks since"
                                                           : ": it waits for a reboot");
  }
  return {};
}

std::string notes_on_presets(const Json& modes) {
  Table notes;
  add_paragraph(notes, "nvpmodel", drift_text(modes));
  for (const auto& preset : list_in(modes, "presets")) {
    const auto name = text_in(preset, "name");
    if (const auto why = text_in(preset, "needs_reboot"); !why.empty())
      add_paragraph(notes, name, "needs a reboot: " + why);
    for (const auto& difference : texts_in(preset, "differences"))
      add_paragraph(notes, name, "is different where nvpmodel sets it: " + difference);
  }
  for (const auto& remark : texts_in(modes, "remarks"))
    add_paragraph(notes, "remark", remark);
  const auto text = notes.to_string();
  return text.empty() ? text : "\n" + text;
}

// ---- sensors ----

// ... or that there is none.
void add_sensor(Table& table, const Json& sensors, const char* name, const char* key, const std::string& says,
                const char* if_none = "not on this board") {
  add_reading(table, sensors, name, key, says.empty() ? if_none : says);
}

std::string gpu_load_text(const Json& sensors) {
  auto text = number_text(sensors, "gpu_load", "{:.0f} %", 100);
  const auto foreign = number_in(sensors, "foreign_gpu_load");
  if (text.empty() || !foreign) return text;
  return text + (*foreign > 0 ? fmt::format(", {:.0f} % of the time for other programs", 100 * *foreign)
                              : ", as far as can be seen for fulcrumd alone");
}

// "4 since boot: 3 of low input voltage, 1 of average current"
std::string throttle_text(const Json& counts) {
  if (counts.empty()) return {};
  double sum = 0;
  std::vector<std::string> causes;
  for (const auto& [cause, events] : counts.items()) {
    if (!events.is_number() || events.get<double>() <= 0) continue;
    sum += events.get<double>();
    causes.push_back(fmt::format("{:.0f} of {}", events.get<double>(), printable(cause)));
  }
  if (causes.empty()) return "none since boot";
  return fmt::format("{:.0f} since boot: {}", sum, fmt::join(causes, ", "));
}

std::string slowdown_text(const Json& sensors) {
  const auto lost = number_in(sensors, "cpu_slowdown");
  if (!lost) return {};
  if (*lost < 0.005) return "none: the CPUs run as fast as is set";
  return fmt::format("the hardware runs the CPUs {:.0f} % below what is set", 100 * *lost);
}

}  // namespace

std::string render_board(const Json& board) {
  Table table;
  add_row(table, "board", board_text(board));
  add_reading(table, board, "mode", "mode", named_mode_text(board));
  add_reading(table, board, "power", "power", draws_text(board));
  add_rails(table, object_in(board, "power"));
  add_row(table, "GPU load",
          number_text(board, "foreign_gpu_load", "{:.0f} % of the time for other programs", 100));
  add_paragraph(table, "knobs", knobs_text(board));
  add_levels(table, object_in(board, "levels"));
  add_paragraph(table, "presets", preset_names(board));
  return table.to_string();
}

std::string render_modes(const Json& modes) {
  Table head;
  add_row(head, "mode", named_mode_text(modes));
  add_paragraph(head, "presets", source_of_presets(modes));
  std::string text = head.to_string();
  if (const Json& presets = list_in(modes, "presets"); !presets.empty()) text += presets_table(presets);
  return text + notes_on_presets(modes);
}

std::string render_sensors(const Json& sensors) {
  Table table;
  const Json& power = object_in(sensors, "power");
  add_sensor(table, sensors, "power", "power",
             number_text(power, "total_w", "{:.2f} W") +
                 number_text(sensors, "averaging_window_ms", ", averaged over up to {:g} ms"));
  add_rails(table, power);
  add_sensor(table, sensors, "temperature", "temperature_c",
             number_text(sensors, "temperature_c", "{:.1f} °C, of the hottest zone"), "no zone tells it");
  add_sensor(table, sensors, "throttle events", "throttle_events",
             throttle_text(object_in(sensors, "throttle_events")));
  add_sensor(table, sensors, "CPU slowdown", "cpu_slowdown", slowdown_text(sensors),
             "cannot be measured on this board");
  add_sensor(table, sensors, "GPU load", "gpu_load", gpu_load_text(sensors));
  add_sensor(table, sensors, "memory", "available_memory_bytes",
             number_text(sensors, "available_memory_bytes", "{:.1f} GiB available", kGibPerByte));
  return table.to_string();
}

std::string render_report(const Json& report) {
  std::vector<Finding> findings;
  for (const auto& json : list_in(report, "findings")) {
    auto finding = Finding::from_json(json);
    if (!finding) continue;
    for (auto* text : {&finding->part, &finding->what, &finding->effect, &finding->fix})
      *text = printable(*text);
    findings.push_back(*std::move(finding));
  }
  const auto title = titled(report);
  return fmt::format("{}\n\n{}\n{}\n", title.empty() ? "no board" : title, to_text(findings),
                     verdict(is_true(report, "fit")));
}

}  // namespace fulcrum::cli

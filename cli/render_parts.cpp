#include "cli/render_parts.h"

#include <fmt/format.h>

#include "cli/render.h"

namespace fulcrum::cli {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string scalar_text(const Json& value) {
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  return to_line(value);
}

void add_number(std::vector<std::string>& parts, const Json& json, const char* name, const char* format,
                double scale) {
  if (auto text = number_text(json, name, format, scale); !text.empty()) parts.push_back(std::move(text));
}

std::string number_text(const Json& json, const char* name, const char* format, double scale) {
  const auto value = number_in(json, name);
  return value ? fmt::format(fmt::runtime(format), *value * scale) : std::string();
}

void add_row(Table& table, const std::string& name, const std::string& text) {
  if (!text.empty()) table.add({name, text});
}

void add_paragraph(Table& table, const std::string& name, const std::string& text) {
  constexpr std::size_t kColumns = 86;  // with the names before it about 100
  const char* title = name.c_str();
  for (const auto& line : wrapped(text, kColumns)) {
    table.add({title, line});
    title = "";
  }
}

std::string id_text(const Json& job, const char* name) {
  const auto text = number_text(job, name, "{:.0f}");
  return text.empty() ? "?" : text;
}

std::string time_text(const Json& json, const char* name) {
  const auto ms = whole_in(json, name);
  return ms ? local_time(*ms) : std::string();
}

std::string named_mode_text(const Json& with_mode) {
  const auto name = text_in(with_mode, "mode_name");
  auto mode = mode_text(object_in(with_mode, "mode"));
  if (name.empty()) return mode;
  return mode.empty() ? name : fmt::format("{} ({})", name, mode);
}

std::string measuring_text(const Json& probe) {
  std::vector<std::string> parts;
  if (const auto task = text_in(probe, "task"); !task.empty()) parts.push_back(task);
  add_number(parts, probe, "batch_size", "batch {:.0f}");
  if (const auto mode = mode_text(object_in(probe, "mode")); !mode.empty()) parts.push_back("in " + mode);
  return joined(parts, " ");
}

std::string effort_text(const Json& search, std::optional<double> of_modes) {
  std::vector<std::string> effort;
  if (const auto probes = number_in(search, "probes")) effort.push_back(counted(*probes, "probe"));
  if (const auto modes = number_in(search, "modes")) {
    effort.push_back(of_modes ? fmt::format("in {:.0f} of {}", *modes, counted(*of_modes, "mode"))
                              : "in " + counted(*modes, "mode"));
  }
  std::vector<std::string> parts;
  if (!effort.empty()) parts.push_back(joined(effort, " "));
  add_number(parts, search, "seconds", "{:.1f} s");
  return joined(parts, ", ");
}

}  // namespace fulcrum::cli

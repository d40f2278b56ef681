// The events of a search, as job.watch tells them.

#include <fmt/format.h>

#include <vector>

#include "cli/render.h"
#include "cli/render_parts.h"

namespace fulcrum::cli {

namespace {

std::string with_details(std::string text, const std::vector<std::string>& details) {
  return details.empty() ? text : text + ": " + joined(details, ", ");
}

}  // namespace

std::string search_text(const Json& search) {
  std::vector<std::string> details;
  if (const auto probes = number_in(search, "probes_at_most"))
    details.push_back("at most " + counted(*probes, "probe"));
  add_number(details, search, "seconds_at_most", "at most {:g} s");
  if (auto effort = effort_text(search); !effort.empty()) details.push_back(std::move(effort));
  if (search.is_object() && search.contains("found") && search.at("found").is_boolean())
    details.emplace_back(search.at("found") == true ? "a mode is found" : "no mode is found");
  const auto state = text_in(search, "state");
  return with_details(state.empty() ? "search" : "search " + state, details);
}

std::string probe_text(const Json& probe) {
  std::string text = "probe";
  if (const auto number = number_text(probe, "number", "{:.0f}"); !number.empty()) text += " " + number;
  if (const auto what = measuring_text(probe); !what.empty()) text += ": " + what;
  std::vector<std::string> found;
  if (text_in(probe, "state") == "invalid") found.emplace_back("invalid");
  add_number(found, probe, "p99_ms", "p99 {:.1f} ms");
  add_number(found, probe, "power_w", "{:.1f} W");
  if (auto message = text_in(probe, "message"); !message.empty()) found.push_back(std::move(message));
  return with_details(std::move(text), found);
}

}  // namespace fulcrum::cli

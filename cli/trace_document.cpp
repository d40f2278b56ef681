#include "cli/trace_document.h"

#include <fmt/format.h>

#include <map>

#include "cli/render_parts.h"
#include "cli/text.h"

namespace fulcrum::cli {

namespace {

constexpr int kProcess = 1;

Json named(const char* what, std::int64_t row, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", kProcess}, {"tid", row}, {"args", {{"name", name}}}};
}

std::string title_of(const Json& slice, std::int64_t job) {
  const auto name = text_in(slice, "name");
  return name.empty() ? fmt::format("job {}", job) : fmt::format("{} (job {})", name, job);
}

// A complete event, in microseconds.
Json event_of(const Json& slice, std::int64_t job, double first_ns) {
  const double started_ns = number_in(slice, "started_ns").value_or(first_ns);
  const double ended_ns = number_in(slice, "ended_ns").value_or(started_ns);
  Json args = Json::object();
  for (const char* field : {"batch_size", "queued", "why", "device_ms"}) {
    if (slice.contains(field)) args[field] = slice.at(field);
  }
  return {{"name", text_in(slice, "why")},
          {"cat", text_in(slice, "kind")},
          {"ph", "X"},
          {"pid", kProcess},
          {"tid", job},
          {"ts", (started_ns - first_ns) / 1e3},
          {"dur", (ended_ns - started_ns) / 1e3},
          {"args", std::move(args)}};
}

}  // namespace

Json chrome_trace(const Json& slices) {
  Json events = Json::array({named("process_name", 0, "Fulcrum: the device")});
  std::map<std::int64_t, std::string> rows;
  const double first_ns = slices.empty() ? 0 : number_in(slices.front(), "started_ns").value_or(0);
  for (const auto& slice : slices) {
    const auto job = whole_in(slice, "job").value_or(0);
    if (rows.emplace(job, title_of(slice, job)).second)
      events.push_back(named("thread_name", job, rows.at(job)));
    events.push_back(event_of(slice, job, first_ns));
  }
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

}  // namespace fulcrum::cli

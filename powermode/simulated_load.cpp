#include "powermode/simulated_load.h"

#include <fmt/format.h>

#include <sstream>

namespace fulcrum {

namespace {

Expected<SimulatedLoadEdge> parse_edge(const std::string& line) {
  const auto bad = [&line] {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no load edge", line),
                "<ns> idle, or <ns> busy <class> <training|inference> <batch size>");
  };
  SimulatedLoadEdge edge;
  std::istringstream words(line);
  std::string state;
  if (!(words >> edge.at_ns >> state) || (state != "busy" && state != "idle")) return bad();
  edge.busy = state == "busy";
  if (edge.busy) {
    std::string task;
    if (!(words >> edge.workload_class >> task >> edge.batch_size) || edge.batch_size < 1) return bad();
    const auto parsed = parse_workload_task(task);
    if (!parsed) return bad();
    edge.task = *parsed;
  }
  if (std::string rest; words >> rest) return bad();
  return edge;
}

}  // namespace

std::string format_load_edges(const std::vector<SimulatedLoadEdge>& edges) {
  std::string text;
  for (const auto& edge : edges) {
    text += edge.busy ? fmt::format("{} busy {} {} {}\n", edge.at_ns, edge.workload_class,
                                    to_string(edge.task), edge.batch_size)
                      : fmt::format("{} idle\n", edge.at_ns);
  }
  return text;
}

Expected<std::vector<SimulatedLoadEdge>> parse_load_edges(std::string_view text) {
  std::vector<SimulatedLoadEdge> edges;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    FULCRUM_TRY_ASSIGN(edge, parse_edge(line));
    edges.push_back(std::move(edge));
  }
  return edges;
}

}  // namespace fulcrum

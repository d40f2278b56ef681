// What is written to the simulated board's load node.

#include "powermode/simulated_load.h"
#include "tests/fuzz/promise.h"

using namespace fulcrum;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto edges = parse_load_edges(fuzz::as_text(data, size));
  if (!edges) {
    fuzz::promise_reason(edges.error());
    return 0;
  }
  for (const auto& edge : *edges)
    promise(!edge.busy || (edge.batch_size >= 1 && !edge.workload_class.empty()),
            "a busy edge says with what");
  const auto text = format_load_edges(*edges);
  const auto again = parse_load_edges(text);
  promise(again && again->size() == edges->size(), "no edge is lost in the text");
  promise(format_load_edges(*again) == text, "edges survive their text");
  return 0;
}

#pragma once
// Slices as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing open: the Trace Event Format's JSON.

#include "common/json_text.h"

namespace fulcrum::cli {

// `slices`: of the answers of trace.get, in order. A row for each job; times count from the first slice.
Json chrome_trace(const Json& slices);

}  // namespace fulcrum::cli

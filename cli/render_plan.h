#pragma once
// What the plan and its explanation have in common.

#include "cli/text.h"
#include "common/json_text.h"

namespace fulcrum::cli {

inline constexpr const char* kNothingPlanned = "nothing is planned: no job has been measured and runs\n";

void add_troubles(Table& head, const Json& answer);  // why nothing runs: of the worker, of the board
void add_notes(Table& head, const Json& answer);     // sentences of the daemon about the plan

}  // namespace fulcrum::cli

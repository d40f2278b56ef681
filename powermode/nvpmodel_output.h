#pragma once
// What the program nvpmodel says, read by rules that hold for all its releases. None of it is believed: it
// tells what was asked for, and the board's own nodes tell what holds.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace fulcrum {

// Of nvpmodel -q, with or without --verbose.
struct NvpmodelQuery {
  std::string mode_name;
  int mode_id = 0;
  std::vector<std::string> errors;  // "NVPM ERROR" lines, which may stand before and behind
};
[[nodiscard]] Expected<NvpmodelQuery> parse_nvpmodel_query(std::string_view output);

// Of the file in which it keeps what it was last told to set: "pmode:0002", decimal, in some releases with
// more behind it.
inline constexpr const char* kNvpmodelStatus = "/var/lib/nvpmodel/status";
[[nodiscard]] Expected<int> parse_nvpmodel_status(std::string_view text);

// How a run of nvpmodel -m went, as far as its words and exit status tell.
enum class NvpmodelOutcome {
  accepted,      // whether it holds, the board has to say
  needs_reboot,  // it asked, got no answer, and changed nothing
  rebooting,     // it was told to, by somebody
  ignored,       // in a container it says so, exits with 0, and changes nothing but its status file
  failed,
};
struct NvpmodelRun {
  NvpmodelOutcome outcome = NvpmodelOutcome::failed;
  std::string reason;  // its first error, or why we say so; empty when accepted
};
NvpmodelRun judge_nvpmodel_run(std::string_view output, int exit_status);

}  // namespace fulcrum

#pragma once
// Looks at the machine as a daemon that starts would, goes on past whatever is missing, and says what each
// thing means and what to do about it.

#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "common/json_text.h"
#include "daemon/config.h"
#include "powermode/board.h"

namespace fulcrum::daemon {

struct BoardReport {
  std::string id;  // empty: no Jetson
  std::string name;
  std::vector<Finding> findings;

  bool fit() const { return fulcrum::fit(findings); }
  Json to_json() const;         // {"id", "name", "fit", "findings"}
  std::string to_text() const;  // for people
};

// An error only when there is no tree to look at. `known`: the board, where it is in use already.
[[nodiscard]] Expected<BoardReport> examine_board(const DaemonConfig& config, const Clock& clock,
                                                  const Board* known = nullptr);

}  // namespace fulcrum::daemon

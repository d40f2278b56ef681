#pragma once
// The tree of files through which the configured board is seen, and which board that is.

#include <memory>

#include "common/clock.h"
#include "common/error.h"
#include "daemon/config.h"
#include "powermode/board_description.h"
#include "powermode/file_tree.h"

namespace fulcrum::daemon {

// A simulated board is made if it is not there yet.
[[nodiscard]] Expected<std::unique_ptr<FileTree>> open_board_tree(const DaemonConfig& config,
                                                                  const Clock& clock);

// `unsupported`: the machine is no Jetson, or not the configured one.
[[nodiscard]] Expected<BoardDescription> describe_board(const DaemonConfig& config, const FileTree& tree);

}  // namespace fulcrum::daemon

#include "daemon/board_tree.h"

#include <fmt/format.h>

#include "powermode/board_catalogue.h"
#include "powermode/real_file_tree.h"
#include "powermode/simulated_file_tree.h"

namespace fulcrum::daemon {

Expected<std::unique_ptr<FileTree>> open_board_tree(const DaemonConfig& config, const Clock& clock) {
  if (!config.simulates_board()) {
    FULCRUM_TRY_ASSIGN(tree, RealFileTree::open(config.board_root));
    return std::unique_ptr<FileTree>(std::move(tree));
  }
  const auto name = config.simulated_board();
  const auto state = config.simulated_state_path();
  if (auto made = SimulatedFileTree::create(state, name, clock);
      !made && made.error().code != ErrorCode::already_exists) {
    return Unexpected(made.error());
  }
  FULCRUM_TRY_ASSIGN(tree, SimulatedFileTree::open(state, clock));
  if (tree->board_name() == name) return std::unique_ptr<FileTree>(std::move(tree));
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("the simulated board in '{}' is a '{}', not a '{}'", state, tree->board_name(), name),
      "name that one, or another file, in the configuration");
}

Expected<BoardDescription> describe_board(const DaemonConfig& config, const FileTree& tree) {
  if (config.simulates_board() || config.board == kDetectBoard) return detect_board(tree);
  FULCRUM_TRY_ASSIGN(description, builtin_board_description(config.board));
  FULCRUM_TRY(check_machine(tree, description));
  return description;
}

}  // namespace fulcrum::daemon

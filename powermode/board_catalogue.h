#pragma once
// The kinds of boards that Fulcrum knows, and which of them a machine is.

#include <string>
#include <vector>

#include "common/error.h"
#include "powermode/board_description.h"
#include "powermode/file_tree.h"

namespace fulcrum {

std::vector<std::string> builtin_board_ids();
[[nodiscard]] Expected<BoardDescription> builtin_board_description(const std::string& id);

// By the device tree. A Jetson of an unknown kind gets the description of any Jetson, with an id of its own.
// `unsupported`: the machine is no Jetson.
[[nodiscard]] Expected<BoardDescription> detect_board(const FileTree& tree);

// `unsupported`: the machine is not what the description is of.
[[nodiscard]] Expected<void> check_machine(const FileTree& tree, const BoardDescription& description);

}  // namespace fulcrum

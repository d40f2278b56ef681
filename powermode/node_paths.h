#pragma once
// Finding nodes whose paths differ from board to board and from release to release.

#include <string>
#include <vector>

#include "powermode/file_tree.h"

namespace fulcrum::powermode {

// The paths that fit a pattern (board_description.h), sorted; a pattern without * fits itself if it is there.
std::vector<std::string> expand(const FileTree& tree, const std::string& pattern);

// The first of the patterns' paths that is there; empty if none is.
std::string first_present(const FileTree& tree, const std::vector<std::string>& patterns);

// Where the path leads if it is a link; else the path.
std::string follow_link(const FileTree& tree, const std::string& path);

std::string directory_of(const std::string& path);

}  // namespace fulcrum::powermode

#pragma once
// A file that a command leaves.

#include <string>

#include "common/error.h"

namespace fulcrum::cli {

// In place of `file`, which must be a regular file if it is there.
[[nodiscard]] Expected<void> write_output(const std::string& file, const std::string& text);

}  // namespace fulcrum::cli

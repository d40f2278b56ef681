#pragma once
// Opening a file that a job names.

#include <cstdint>
#include <string>

#include "common/error.h"
#include "common/unique_fd.h"

namespace fulcrum::workloads {

struct OpenFile {
  UniqueFd fd;
  std::uint64_t bytes = 0;
};

// A regular file, for reading. Why it cannot be opened is told by the component of the path that is in the
// way.
[[nodiscard]] Expected<OpenFile> open_regular_file(const std::string& path);

}  // namespace fulcrum::workloads

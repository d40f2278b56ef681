#pragma once
// Starting a child process that has less than we have: another user, no capabilities, no new privileges,
// nothing open but the descriptors it is handed.

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "common/unique_fd.h"

namespace fulcrum::daemon {

struct SpawnRequest {
  std::string program;
  std::vector<std::string> arguments;  // without argv[0]
  std::string user;                    // changed to when we are root; ignored otherwise
  std::vector<UniqueFd> inherited;     // become descriptors 3, 4, ... of the child
};

// The pid, once the program has replaced the child (so a program that cannot be executed is an error here).
// The child is killed by the kernel when the calling thread ends.
[[nodiscard]] Expected<pid_t> spawn(SpawnRequest request);

}  // namespace fulcrum::daemon

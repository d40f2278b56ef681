#pragma once
// Why a path cannot be used, told by the one component that is in the way, with the command that opens it. A
// bare "Permission denied" is no help when the worker runs as its own user and the path has six components.

#include <functional>
#include <string>

#include "common/error.h"

namespace fulcrum::workloads {

// May this process do `mode` (R_OK, W_OK, X_OK) to `path`? 0 or an errno value. Replaced in tests, which may
// run as a user to whom nothing is denied.
using AccessCheck = std::function<int(const std::string& path, int mode)>;

// By the effective user and group.
int effective_access(const std::string& path, int mode);

// Both take an absolute path, follow symlinks component by component, and fail with not_found,
// permission_denied or invalid_argument.
[[nodiscard]] Expected<void> check_readable(const std::string& path,
                                            const AccessCheck& access = effective_access);

// A file of this name may be created or replaced: its directory exists and may be searched and written.
[[nodiscard]] Expected<void> check_creatable(const std::string& path,
                                             const AccessCheck& access = effective_access);

}  // namespace fulcrum::workloads

#pragma once
// Opening files below a directory as if that directory were "/": a link leads inside, whatever its target is.
//
// Not openat2(2) with RESOLVE_IN_ROOT, which gives up with EAGAIN at a ".." if anything on the machine was
// renamed meanwhile: the links of sysfs are full of "..", and each write to a simulated board renames a file.

#include <string>
#include <tl/expected.hpp>

#include "common/unique_fd.h"

namespace fulcrum::powermode {

// openat(2), or its errno. The kernel is only ever asked for one name in a directory that was reached before,
// never for ".." and never to follow a link.
[[nodiscard]] tl::expected<UniqueFd, int> open_inside(int root, const std::string& path, int flags);

}  // namespace fulcrum::powermode

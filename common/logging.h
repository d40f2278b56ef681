#pragma once
// The log of a program: one line an event on stderr. Handed on as a reference, not reached through a global.

#include <spdlog/logger.h>

#include <memory>
#include <string>

#include "common/error.h"

namespace fulcrum {

using Logger = std::shared_ptr<spdlog::logger>;

// level: trace, debug, info, warn, error. When stderr is the journal, lines carry the <priority> prefix that
// journald reads and no time of their own.
[[nodiscard]] Expected<Logger> make_logger(const std::string& name, const std::string& level);

// Swallows everything; for tests and tools.
Logger make_null_logger();

}  // namespace fulcrum

#pragma once
// The command that starts tests/support/scripted_worker.cpp.

#include <string>

#include "daemon/worker_process.h"

namespace fulcrum::test {

inline daemon::WorkerCommand scripted_worker(const std::string& manner) {
  return {FULCRUM_SCRIPTED_WORKER, {manner}, {}};
}

}  // namespace fulcrum::test

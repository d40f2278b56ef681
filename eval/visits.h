#pragma once
// Where searches looked: how often each strategy measured each row of a table, over all problems of a sweep.

#include <ostream>
#include <string>
#include <vector>

#include "common/error.h"
#include "eval/result.h"
#include "scheduler/strategy.h"

namespace fulcrum::eval {

struct Visit {
  std::string scenario;
  std::string policy;
  std::string train_workload;
  std::string infer_workload;
  std::string strategy;
  scheduler::Measure measured;
  int times = 0;
};

// Ascending. `exhaustive`, which looks everywhere, is left out.
std::vector<Visit> visits_in(const std::vector<Result>& results);

void write_visits(std::ostream& out, const std::vector<Visit>& visits);
// The message of a malformed row begins with file:line.
[[nodiscard]] Expected<std::vector<Visit>> read_visits(const std::string& path);

}  // namespace fulcrum::eval
